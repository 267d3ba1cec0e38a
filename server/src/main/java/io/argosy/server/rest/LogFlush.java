package io.argosy.server.rest;

import io.argosy.api.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.Logger;

/**
 * Whether what is logged gets out. A pipe that nobody reads stops whoever writes to it; so when somebody asks, what was logged is flushed
 * beside, and as long as that does not end nothing gets out.
 */
final class LogFlush {
    private static final Duration BETWEEN = Duration.ofMinutes(1);
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Clock clock;
    private final Runnable flush;
    private final AtomicReference<Instant> begun = new AtomicReference<>();
    private volatile Instant ended = Instant.EPOCH;

    LogFlush(Clock clock) {
        this(clock, LogFlush::flush);
    }

    LogFlush(Clock clock, Runnable flush) {
        this.clock = clock;
        this.flush = flush;
    }

    private static void flush() {
        for (Handler handler : Logger.getLogger("").getHandlers()) {
            handler.flush();
        }
    }

    /** Whether it gets out. */
    boolean flows() {
        Instant now = clock.now();
        Instant underWay = begun.get();
        if (underWay != null) {
            return now.isBefore(underWay.plus(PATIENCE));
        }
        if (!now.isBefore(ended.plus(BETWEEN)) && begun.compareAndSet(null, now)) {
            Thread.ofPlatform().daemon().name("log flush").start(this::flushOnce);
        }
        return true;
    }

    private void flushOnce() {
        flush.run();
        ended = clock.now();
        begun.set(null);
    }
}
