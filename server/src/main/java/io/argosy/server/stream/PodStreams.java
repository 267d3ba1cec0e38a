package io.argosy.server.stream;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.server.http.HttpCall;
import io.argosy.server.http.HttpReply;
import io.argosy.server.stream.NodeGateway.Command;
import io.argosy.server.stream.NodeGateway.RemoteProcess;
import io.argosy.server.stream.NodeGateway.Target;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The API server's side of exec, attach and port forwarding: streams between a client and what runs in a pod, over WebSocket or SPDY. */
public final class PodStreams {
    private static final Logger LOG = LoggerFactory.getLogger(PodStreams.class);

    /** The roles of a process's streams in the order of their numbers in a WebSocket. */
    private static final List<String> NUMBERED = List.of(
            ProcessStreams.STDIN,
            ProcessStreams.STDOUT,
            ProcessStreams.STDERR,
            ProcessStreams.ERROR,
            ProcessStreams.RESIZE);

    private final NodeGateway nodes;

    public PodStreams(NodeGateway nodes) {
        this.nodes = nodes;
    }

    /**
     * Answers a request for one of the streaming subresources; what is wrong with it, or with the pod, is refused as long as the connection
     * still speaks HTTP.
     *
     * @param subresource exec, attach or portforward
     */
    public void handle(String subresource, Target target, HttpCall call, HttpReply reply) {
        boolean webSocket = Handover.toWebSocket(call);
        if (!subresource.equals("portforward")) {
            process(subresource.equals("exec"), target, webSocket, call, reply);
        } else if (webSocket) {
            portsInWebSocket(target, call, reply);
        } else {
            Protocol protocol = Protocol.ofSpdy(call.headers(), Protocol.PORTS_SPDY);
            portsOverSpdy(target, protocol, reply);
        }
    }

    private void process(boolean exec, Target target, boolean webSocket, HttpCall call, HttpReply reply) {
        Command command = command(exec, call);
        Protocol protocol = webSocket
                ? Protocol.ofWebSocket(call.headers(), Protocol.PROCESS_WEBSOCKET)
                : Protocol.ofSpdy(call.headers(), Protocol.PROCESS_SPDY);
        RemoteProcess process;
        try {
            process = exec ? nodes.exec(target, command) : nodes.attach(target, command);
        } catch (IOException | ApiException failed) {
            ApiException refusal = refusal(failed);
            if (webSocket && protocol.closeSignals()) {
                refuse(refusal, protocol, reply);
                return;
            }
            throw refusal;
        }
        try {
            if (webSocket) {
                processInWebSocket(exec, command, protocol, process, reply);
            } else {
                processOverSpdy(exec, command, protocol, process, reply);
            }
        } catch (RuntimeException noUpgrade) {
            process.close();
            throw noUpgrade;
        }
    }

    /** What went wrong at the node stopped the stream from being opened; what is wrong with the request is said as it is. */
    private static ApiException refusal(Exception failed) {
        return failed instanceof ApiException refusal && !refusal.is(Reason.InternalError)
                ? refusal
                : new ApiException(Reason.InternalError, "unable to upgrade connection: " + failed.getMessage());
    }

    /**
     * Opens the streams of the newest protocol only to say on the error stream that there will be nothing on the others: who speaks it has been
     * answered by then, and a browser shows its page no answer but this.
     */
    private static void refuse(ApiException refusal, Protocol protocol, HttpReply reply) {
        WebSocketCarrier carrier = new WebSocketCarrier(protocol, NUMBERED.size());
        Outcome outcome = refusal.is(Reason.InternalError)
                ? Outcome.broken(refusal.getMessage())
                : new Outcome(refusal.toStatus());
        Runnable begin = () -> {
            try (OutputStream error =
                    carrier.stream(NUMBERED.indexOf(ProcessStreams.ERROR)).output()) {
                error.write(outcome.encode(protocol));
            } catch (IOException gone) {
                LOG.debug("the client went away at once", gone);
            } finally {
                carrier.streams().forEach(ClientStream::discard);
                carrier.finish();
            }
        };
        Handover.webSocket(reply, protocol, carrier, begin, () -> {});
    }

    private static Command command(boolean exec, HttpCall call) {
        boolean tty = flag(call, "tty");
        boolean stdin = flag(call, "stdin");
        boolean stdout = flag(call, "stdout");
        boolean stderr = flag(call, "stderr") && !tty;
        if (!stdin && !stdout && !stderr) {
            throw ApiException.badRequest("you must specify at least 1 of stdin, stdout, stderr");
        }
        List<String> words = call.query().getOrDefault("command", List.of());
        if (exec && (words.isEmpty() || words.getFirst().isEmpty())) {
            throw ApiException.badRequest("you must specify at least one command for the container");
        }
        return new Command(List.copyOf(words), tty, stdin, stdout, stderr);
    }

    /** As the API reads booleans in a query: anything but a clear no is a yes. */
    private static boolean flag(HttpCall call, String name) {
        List<String> values = call.query().getOrDefault(name, List.of());
        if (values.isEmpty()) {
            return false;
        }
        String value = values.getFirst().toLowerCase(Locale.ROOT);
        return !value.equals("false") && !value.equals("0");
    }

    private static void processInWebSocket(
            boolean exec, Command command, Protocol protocol, RemoteProcess process, HttpReply reply) {
        WebSocketCarrier carrier = new WebSocketCarrier(protocol, NUMBERED.size());
        Set<String> expected = ProcessStreams.expected(command, true);
        ProcessStreams streams = new ProcessStreams(expected);
        for (int number = 0; number < NUMBERED.size(); number++) {
            ClientStream stream = carrier.stream(number);
            if (!streams.offer(NUMBERED.get(number), stream)) {
                stream.discard();
            }
        }
        ClientStream first = carrier.stream(command.stdout() ? 1 : command.stderr() ? 2 : 3);
        ProcessSession session = new ProcessSession(carrier, streams, process, protocol, exec);
        Runnable begin = () -> {
            greet(first);
            session.run();
        };
        Handover.webSocket(reply, protocol, carrier, begin, process::close);
    }

    /** An empty message tells a client in a browser that the connection stands. */
    private static void greet(ClientStream first) {
        try {
            first.output().write(new byte[0]);
        } catch (IOException gone) {
            LOG.debug("the client went away at once", gone);
        }
    }

    private static void processOverSpdy(
            boolean exec, Command command, Protocol protocol, RemoteProcess process, HttpReply reply) {
        ProcessStreams streams = new ProcessStreams(ProcessStreams.expected(command, protocol.resizes()));
        SpdyCarrier carrier = new SpdyCarrier(stream -> streams.offer(stream.header("streamtype"), stream));
        Handover.spdy(
                reply,
                protocol,
                carrier,
                new ProcessSession(carrier, streams, process, protocol, exec),
                process::close);
    }

    private void portsInWebSocket(Target target, HttpCall call, HttpReply reply) {
        Protocol protocol = Protocol.ofWebSocket(call.headers(), Protocol.PORTS_WEBSOCKET);
        if (protocol.equals(Protocol.TUNNEL)) {
            portsOverSpdy(target, protocol, reply);
            return;
        }
        List<Integer> ports = PortNumbers.ofQuery(call.query().getOrDefault("ports", List.of()));
        PortForwards forwards = new PortForwards(nodes, target);
        WebSocketCarrier carrier = new WebSocketCarrier(protocol, 2 * ports.size());
        Handover.webSocket(reply, protocol, carrier, () -> forwardAll(ports, forwards, carrier), forwards::closeAll);
    }

    /** The numbered streams of each port, data and error, both of which begin with the port's number. */
    private static void forwardAll(List<Integer> ports, PortForwards forwards, WebSocketCarrier carrier) {
        carrier.onGone(forwards::closeAll);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < ports.size(); i++) {
            int port = ports.get(i);
            ClientStream data = carrier.stream(2 * i);
            ClientStream error = carrier.stream(2 * i + 1);
            threads.add(Thread.ofVirtual().name("port " + port).start(() -> {
                greet(data.output(), port);
                greet(error.output(), port);
                forwards.forward(port, data, error, true);
            }));
        }
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException shutdown) {
            Thread.currentThread().interrupt();
        } finally {
            carrier.finish();
        }
    }

    private static void greet(OutputStream stream, int port) {
        try {
            stream.write(new byte[] {(byte) port, (byte) (port >> 8)});
        } catch (IOException gone) {
            LOG.debug("the client went away at once", gone);
        }
    }

    private void portsOverSpdy(Target target, Protocol protocol, HttpReply reply) {
        PortForwards forwards = new PortForwards(nodes, target);
        StreamPairs pairs = new StreamPairs((port, data, error) ->
                Thread.ofVirtual().name("port " + port).start(() -> forwards.forward(port, data, error, false)));
        SpdyCarrier carrier = new SpdyCarrier(pairs::opened);
        pairs.on(carrier);
        Runnable begin = () -> carrier.onGone(forwards::closeAll);
        if (protocol.equals(Protocol.TUNNEL)) {
            Handover.tunnel(reply, protocol, carrier, begin, forwards::closeAll);
        } else {
            Handover.spdy(reply, protocol, carrier, begin, forwards::closeAll);
        }
    }
}
