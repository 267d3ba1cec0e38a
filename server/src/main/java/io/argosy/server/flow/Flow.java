package io.argosy.server.flow;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.server.authz.Authorizer.Action;
import io.argosy.server.flow.FairQueues.Waiting;
import io.argosy.server.flow.Seats.Refusal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ObjLongConsumer;

/** The requests of one schema on their way through its priority level. */
public final class Flow {
    private static final int RETRY_AFTER_SECONDS = 1;

    private final Seats seats;
    private final Clock clock;
    private final Duration patience;
    private final FlowSchema schema;
    private final PriorityLevel level;
    private final Map<String, String> headers;
    private final LongAdder dispatched;
    private final Map<Refusal, LongAdder> refused;

    Flow(Seats seats, Clock clock, Duration patience, FlowSchema schema, PriorityLevel level, Flow before) {
        this.seats = seats;
        this.clock = clock;
        this.patience = patience;
        this.schema = schema;
        this.level = level;
        this.headers = schema.uid().isEmpty() || level.settings().uid().isEmpty()
                ? Map.of() // not stored yet
                : Map.of(
                        "x-kubernetes-pf-flowschema-uid",
                        schema.uid(),
                        "x-kubernetes-pf-prioritylevel-uid",
                        level.settings().uid());
        boolean goesOn = before != null && before.level.name().equals(level.name());
        this.dispatched = goesOn ? before.dispatched : new LongAdder();
        this.refused = goesOn ? before.refused : new EnumMap<>(Refusal.class);
        for (Refusal refusal : Refusal.values()) {
            refused.computeIfAbsent(refusal, first -> new LongAdder());
        }
    }

    FlowSchema schema() {
        return schema;
    }

    String level() {
        return level.name();
    }

    long dispatched() {
        return dispatched.sum();
    }

    void refused(ObjLongConsumer<String> each) {
        refused.forEach((refusal, count) -> {
            if (count.sum() > 0) {
                each.accept(refusal.reason, count.sum());
            }
        });
    }

    /** What answers to these requests say of where they were sorted in. */
    public Map<String, String> headers() {
        return headers;
    }

    /** The most seats that one of these requests may take; 0 where that is not for its level to say. */
    public int widest() {
        return level.widest;
    }

    /** The seats for this work if they are there at once; else null. */
    public Seat tryEnter(Work work) {
        if (level.isExempt()) {
            return exempt();
        }
        Work granted = seats.tryEnter(level, work);
        if (granted == null) {
            return null;
        }
        dispatched.increment();
        return new Seat(granted, null);
    }

    private Seat exempt() {
        level.exemptRunning.increment();
        dispatched.increment();
        return new Seat(null, null);
    }

    /** Waits for the seats; refuses the request if there is no room to wait, or it would take too long. */
    public Seat enter(Action action, Work work) throws InterruptedException {
        Seat atOnce = tryEnter(work);
        if (atOnce != null) {
            return atOnce;
        }
        CountDownLatch turn = new CountDownLatch(1);
        Waiting waiting = new Waiting(hash(action), work, turn::countDown);
        boolean[] seated = new boolean[1];
        Refusal refusal = seats.enter(level, waiting, () -> seated[0] = true);
        if (refusal == null && !seated[0]) {
            refusal = await(waiting, turn);
        }
        if (refusal != null) {
            throw refuse(refusal);
        }
        dispatched.increment();
        return new Seat(waiting.granted(), seated[0] ? null : waiting);
    }

    private Refusal await(Waiting waiting, CountDownLatch turn) throws InterruptedException {
        try {
            if (turn.await(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                return null;
            }
        } catch (InterruptedException stopping) {
            if (!seats.giveUp(level, waiting)) {
                seats.leave(level, waiting.granted());
            }
            throw stopping;
        }
        return seats.giveUp(level, waiting) ? Refusal.TIME_OUT : null; // the turn may come in the very last moment
    }

    private ApiException refuse(Refusal refusal) {
        refused.get(refusal).increment();
        return new ApiException(
                Reason.TooManyRequests,
                "Too many requests, please try again later.",
                ApiException.Details.NONE.withRetryAfter(RETRY_AFTER_SECONDS));
    }

    private long hash(Action action) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(schema.name().getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0);
            digest.update(schema.distinguisher(action).getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(digest.digest()).getLong();
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java has SHA-256", impossible);
        }
    }

    /** A request's leave to be carried out; given back once. */
    public final class Seat implements AutoCloseable {
        /** Null for one that sits nowhere. */
        private final Work granted;

        private final Waiting waited;
        private final long since;
        private boolean left;

        private Seat(Work granted, Waiting waited) {
            this.granted = granted;
            this.waited = waited;
            this.since = waited == null ? 0 : System.nanoTime();
        }

        @Override
        public void close() {
            if (left) {
                return;
            }
            left = true;
            if (granted == null) {
                level.exemptRunning.decrement();
                return;
            }
            if (waited != null) {
                seats.charge(waited, (System.nanoTime() - since) / 1e9);
            }
            if (granted.lingering().isPositive()) { // the client has its answer, the watchers do not have theirs yet
                clock.schedule(granted.lingering(), () -> seats.leave(level, granted));
            } else {
                seats.leave(level, granted);
            }
        }
    }
}
