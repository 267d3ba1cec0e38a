package io.argosy.controllers.watch;

import io.argosy.api.GroupVersion;
import io.argosy.api.status.ApiException;
import io.argosy.api.time.Clock;
import io.argosy.client.ApiTransport;
import io.argosy.client.ApiTransport.Request;
import io.argosy.client.ApiTransport.Verb;
import io.argosy.client.WatchPatience;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the objects of one resource as bytes: lists once, then watches, and lists again when history was lost. For those who look
 * at all kinds, or at one object of a kind, where an informer would hold far too much. It holds the clock but while it waits for the
 * next event.
 */
public final class ListWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ListWatch.class);
    private static final byte[] NOTHING = new byte[0];

    private final ApiTransport transport;
    private final GroupVersion groupVersion;
    private final String resource;
    private final String namespace;
    private final Map<String, String> query;
    private final Clock clock;
    private final Listener listener;
    private final WatchPatience patience;
    private Thread thread;

    /** Told of everything, in order, on one thread. */
    public interface Listener {
        /** All there is, as an encoded list; returns the revision to watch from. */
        String listed(byte[] list);

        /** Type is ADDED, MODIFIED or DELETED. */
        void event(String type, byte[] object);
    }

    private record Signal(String type, byte[] object, long revision, RuntimeException cause) {}

    public ListWatch(
            ApiTransport transport,
            GroupVersion groupVersion,
            String resource,
            Map<String, String> query,
            Clock clock,
            Listener listener) {
        this(transport, groupVersion, resource, "", query, clock, listener);
    }

    /** Of one namespace only. */
    public ListWatch(
            ApiTransport transport,
            GroupVersion groupVersion,
            String resource,
            String namespace,
            Map<String, String> query,
            Clock clock,
            Listener listener) {
        this.transport = transport;
        this.groupVersion = groupVersion;
        this.resource = resource;
        this.namespace = namespace;
        this.query = query;
        this.clock = clock;
        this.listener = listener;
        this.patience = new WatchPatience(clock);
    }

    public synchronized void start() {
        clock.hold();
        thread = Thread.ofVirtual()
                .name("watch-" + resource)
                .inheritInheritableThreadLocals(false)
                .start(this::follow);
    }

    @Override
    public synchronized void close() {
        if (thread != null) {
            thread.interrupt();
        }
    }

    private void follow() {
        String revision = "";
        try {
            while (!Thread.currentThread().isInterrupted()) {
                try {
                    if (revision.isEmpty()) {
                        revision = listener.listed(
                                transport.send(request(Verb.LIST, Map.of())).body());
                    }
                    revision = watch(revision);
                } catch (ApiException e) {
                    if (e.code() == 410) {
                        revision = "";
                    } else {
                        pause(e);
                    }
                } catch (RuntimeException e) {
                    pause(e);
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("watch of {} closed", resource);
        } finally {
            clock.release();
        }
    }

    private void pause(RuntimeException cause) throws InterruptedException {
        LOG.debug("watch of {} goes on in {}: {}", resource, patience.delay(), cause.toString());
        patience.backOff();
    }

    /** Returns where to go on when the watch has ended in the ordinary way. */
    private String watch(String from) throws InterruptedException {
        LinkedBlockingQueue<Signal> inbox = new LinkedBlockingQueue<>();
        Sink sink = new Sink(inbox, clock);
        String revision = from;
        Instant began = clock.now();
        ApiTransport.Watch watch = transport.watch(
                request(Verb.WATCH, Map.of("resourceVersion", from, "allowWatchBookmarks", "true")), sink);
        try {
            while (true) {
                Signal signal = take(inbox);
                if (signal.object() == null) {
                    if (signal.cause() != null) {
                        throw signal.cause();
                    }
                    patience.ended(began);
                    return revision;
                }
                patience.heard();
                if (!signal.type().equals("BOOKMARK")) {
                    listener.event(signal.type(), signal.object());
                }
                if (signal.revision() > 0) {
                    revision = Long.toString(signal.revision());
                }
            }
        } finally {
            watch.close();
            sink.close();
        }
    }

    /** The follower's hold becomes that of the signal it takes; interrupted, it has its own again. */
    private Signal take(LinkedBlockingQueue<Signal> inbox) throws InterruptedException {
        clock.release();
        try {
            return inbox.take();
        } catch (InterruptedException e) {
            clock.hold();
            throw e;
        }
    }

    private Request request(Verb verb, Map<String, String> more) {
        Map<String, String> all = new HashMap<>(query);
        all.putAll(more);
        return new Request(verb, groupVersion, resource, namespace, "", "", all, "", NOTHING);
    }

    /** Hands events over to the following thread, each with a hold on the clock; what comes too late is dropped. */
    private static final class Sink implements ApiTransport.WatchSink {
        private final LinkedBlockingQueue<Signal> inbox;
        private final Clock clock;
        private boolean closed;

        Sink(LinkedBlockingQueue<Signal> inbox, Clock clock) {
            this.inbox = inbox;
            this.clock = clock;
        }

        @Override
        public void event(String type, byte[] object, long revision) {
            post(new Signal(type, object, revision, null));
        }

        @Override
        public void closed(RuntimeException cause) {
            post(new Signal("", null, 0, cause));
        }

        private synchronized void post(Signal signal) {
            if (!closed) {
                clock.hold();
                inbox.add(signal);
            }
        }

        synchronized void close() {
            closed = true;
            inbox.forEach(dropped -> clock.release());
            inbox.clear();
        }
    }
}
