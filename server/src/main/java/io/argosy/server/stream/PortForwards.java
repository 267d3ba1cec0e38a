package io.argosy.server.stream;

import io.argosy.api.status.ApiException;
import io.argosy.server.stream.NodeGateway.RemotePort;
import io.argosy.server.stream.NodeGateway.Target;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One client's connections to ports inside a pod. */
final class PortForwards {
    private static final Logger LOG = LoggerFactory.getLogger(PortForwards.class);

    private final NodeGateway nodes;
    private final Target target;
    private final Set<RemotePort> open = new HashSet<>();
    private boolean closed;

    PortForwards(NodeGateway nodes, Target target) {
        this.nodes = nodes;
        this.target = target;
    }

    /**
     * Connects to the port and passes bytes both ways; returns when both sides have ended, or the pod's has if {@code untilPodEnds}. Why it could not
     * connect is said on the error stream.
     */
    void forward(int port, ClientStream data, ClientStream error, boolean untilPodEnds) {
        try (OutputStream errors = error.output();
                OutputStream toClient = data.output()) {
            RemotePort remote;
            try {
                remote = nodes.portForward(target, port);
            } catch (IOException | ApiException refused) {
                data.discard();
                String message = "error forwarding port " + port + " to pod " + target.pod() + ", uid " + target.uid()
                        + ": " + refused.getMessage();
                errors.write(message.getBytes(StandardCharsets.UTF_8));
                return;
            }
            converse(remote, data, error, untilPodEnds);
        } catch (IOException clientGone) {
            LOG.debug("the client went away", clientGone);
        } catch (InterruptedException shutdown) {
            Thread.currentThread().interrupt();
        }
    }

    private void converse(RemotePort remote, ClientStream data, ClientStream error, boolean untilPodEnds)
            throws IOException, InterruptedException {
        if (!keep(remote)) {
            remote.close();
            return;
        }
        try {
            Thread toPod = Thread.ofVirtual().name("to pod").start(() -> feed(data, remote));
            try (InputStream fromPod = remote.fromPod()) {
                ProcessSession.copy(fromPod, data.output());
            } catch (IOException brokenOff) {
                LOG.debug("a forwarded connection broke off", brokenOff);
                data.discard();
            }
            data.output().close();
            error.output().close();
            if (untilPodEnds) {
                data.discard();
            }
            toPod.join();
        } finally {
            release(remote);
        }
    }

    private static void feed(ClientStream data, RemotePort remote) {
        try (InputStream in = data.input();
                OutputStream toPod = remote.toPod()) {
            ProcessSession.copy(in, toPod);
        } catch (IOException brokenOff) {
            LOG.debug("a forwarded connection was reset", brokenOff);
            remote.close();
        }
    }

    private synchronized boolean keep(RemotePort remote) {
        return !closed && open.add(remote);
    }

    private void release(RemotePort remote) {
        synchronized (this) {
            open.remove(remote);
        }
        remote.close();
    }

    /** The client is gone: so are its connections. */
    void closeAll() {
        Set<RemotePort> left;
        synchronized (this) {
            closed = true;
            left = Set.copyOf(open);
        }
        left.forEach(RemotePort::close);
    }
}
