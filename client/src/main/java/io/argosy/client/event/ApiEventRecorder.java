package io.argosy.client.event;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Writes core/v1 Events in the background, on a few lanes; events about one object keep to one lane and so to their order. A flood
 * drops the oldest waiting events and counts them; an event that the server refuses is given up, since an Event is news and not
 * state.
 */
public final class ApiEventRecorder implements EventRecorder, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ApiEventRecorder.class);
    private static final int LANES = 8;
    private static final int LONGEST_LANE = 1000;
    private static final int NAME_TRIES = 8;
    private static final Duration LAST_WRITES = Duration.ofSeconds(2);

    private final Resources<Event> events;
    private final String component;
    private final String host;
    private final Clock clock;
    private final Lane[] lanes = new Lane[LANES];
    private final AtomicLong lastNanos = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();

    /** The host is the node's name for a node agent, else empty. */
    public ApiEventRecorder(Client client, String component, String host, Clock clock) {
        events = client.resources(Event.class);
        this.component = component;
        this.host = host;
        this.clock = clock;
        Arrays.setAll(lanes, number -> new Lane());
    }

    @Override
    public void event(HasMetadata about, Type type, String reason, String message) {
        event(
                new ObjectReferenceBuilder()
                        .withApiVersion(HasMetadata.getApiVersion(about.getClass()))
                        .withKind(HasMetadata.getKind(about.getClass()))
                        .withNamespace(about.getMetadata().getNamespace())
                        .withName(about.getMetadata().getName())
                        .withUid(about.getMetadata().getUid())
                        .withResourceVersion(about.getMetadata().getResourceVersion())
                        .build(),
                type,
                reason,
                message);
    }

    @Override
    public void event(ObjectReference about, Type type, String reason, String message) {
        int lane = Math.floorMod(Objects.hash(about.getKind(), about.getNamespace(), about.getName()), LANES);
        lanes[lane].add(build(about, type, reason, message));
    }

    /** How many events were thrown away because they came faster than they could be written. */
    public long dropped() {
        return dropped.get();
    }

    /** True when every event recorded so far has been written or given up. */
    public boolean idle() {
        return Arrays.stream(lanes).allMatch(Lane::idle);
    }

    /** Writes what waits, for a few seconds at most, then stops. */
    @Override
    public void close() {
        long deadline = System.nanoTime() + LAST_WRITES.toNanos();
        for (Lane lane : lanes) {
            lane.finish();
        }
        for (Lane lane : lanes) {
            lane.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
        }
    }

    private Event build(ObjectReference about, Type type, String reason, String message) {
        Instant now = clock.now();
        long nanos = TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
        long unique = lastNanos.updateAndGet(last -> Math.max(nanos, last + 1));
        String namespace =
                about.getNamespace() == null || about.getNamespace().isEmpty() ? "default" : about.getNamespace();
        String timestamp = now.truncatedTo(ChronoUnit.SECONDS).toString();
        return new EventBuilder()
                .withNewMetadata()
                .withName(about.getName() + "." + Long.toHexString(unique))
                .withNamespace(namespace)
                .endMetadata()
                .withInvolvedObject(about)
                .withReason(reason)
                .withMessage(message)
                .withType(type.name())
                .withNewSource()
                .withComponent(component)
                .withHost(host.isEmpty() ? null : host)
                .endSource()
                .withReportingComponent(component)
                .withReportingInstance(host)
                .withFirstTimestamp(timestamp)
                .withLastTimestamp(timestamp)
                .withCount(1)
                .build();
    }

    /** Events of some of the objects, written one after the other by a thread that begins with the first of them. */
    private final class Lane {
        private final EventCorrelator correlator = new EventCorrelator();
        private final ArrayDeque<Event> waiting = new ArrayDeque<>();
        private Thread writer;
        private boolean busy;
        private boolean closed;

        synchronized void add(Event event) {
            if (closed) {
                return;
            }
            if (waiting.size() >= LONGEST_LANE) {
                waiting.poll();
                dropped.incrementAndGet();
                clock.release();
            }
            clock.hold();
            waiting.add(event);
            if (writer == null) {
                writer = Thread.ofVirtual()
                        .name("events-" + component)
                        .inheritInheritableThreadLocals(false)
                        .start(this::write);
            }
            notifyAll();
        }

        synchronized boolean idle() {
            return waiting.isEmpty() && !busy;
        }

        synchronized void finish() {
            closed = true;
            notifyAll();
        }

        void join(Duration patience) {
            Thread last;
            synchronized (this) {
                last = writer;
            }
            if (last == null) {
                return;
            }
            try {
                if (!last.join(patience)) {
                    last.interrupt();
                }
            } catch (InterruptedException e) {
                last.interrupt();
                Thread.currentThread().interrupt();
            }
        }

        private synchronized Event next() throws InterruptedException {
            if (busy) {
                busy = false;
                clock.release();
            }
            while (waiting.isEmpty()) {
                if (closed) {
                    return null;
                }
                wait();
            }
            busy = true;
            return waiting.poll();
        }

        private void write() {
            try {
                for (Event event = next(); event != null; event = next()) {
                    try {
                        correlator.correlate(event, clock.now()).ifPresent(this::write);
                    } catch (RuntimeException e) {
                        lost(event, e);
                    }
                }
            } catch (InterruptedException e) {
                LOG.debug("event recorder of {} stopped", component);
            }
        }

        /** Of what goes away with its namespace nobody could read any more. */
        private void lost(Event event, RuntimeException cause) {
            boolean expected = cause instanceof ApiException refusal
                    && (refusal.hasCause("NamespaceTerminating") || refusal.is(Reason.NotFound));
            LOG.atLevel(expected ? Level.DEBUG : Level.WARN)
                    .log(
                            "event {} about {} is lost: {}",
                            event.getReason(),
                            event.getInvolvedObject().getName(),
                            cause.toString());
        }

        private void write(EventCorrelator.Verdict verdict) {
            Event event = verdict.event();
            if (event.getCount() > 1) {
                ObjectNode patch = Json.object()
                        .put("count", event.getCount())
                        .put("lastTimestamp", event.getLastTimestamp())
                        .put("message", event.getMessage());
                try {
                    events.patch(
                            event.getMetadata().getNamespace(),
                            event.getMetadata().getName(),
                            Resources.PatchType.MERGE,
                            patch);
                    return;
                } catch (ApiException e) {
                    if (!e.is(Reason.NotFound)) {
                        throw e;
                    }
                }
            }
            // The server forgets events after a while; the count goes on in a new one, as client-go does it.
            correlator.remember(verdict.key(), create(event));
        }

        /** Another component may have said something about the object in the same instant; then the name is taken. */
        private Event create(Event event) {
            for (int attempt = 1; ; attempt++) {
                try {
                    events.createOnly(event);
                    return event;
                } catch (ApiException e) {
                    if (!e.is(Reason.AlreadyExists) || attempt == NAME_TRIES) {
                        throw e;
                    }
                    long next = lastNanos.incrementAndGet();
                    event.getMetadata().setName(event.getInvolvedObject().getName() + "." + Long.toHexString(next));
                }
            }
        }
    }
}
