package io.argosy.api.time;

import java.time.Duration;

/** A task that comes again a period after it has run, until it is cancelled. */
final class Repeating implements Clock.Timer {
    private final Clock clock;
    private final Duration period;
    private final Runnable task;
    private Clock.Timer next;
    private boolean cancelled;

    Repeating(Clock clock, Duration period, Runnable task) {
        this.clock = clock;
        this.period = period;
        this.task = task;
        again();
    }

    private synchronized void again() {
        if (!cancelled) {
            next = clock.schedule(period, this::run);
        }
    }

    private void run() {
        try {
            task.run();
        } finally {
            again();
        }
    }

    @Override
    public synchronized boolean cancel() {
        cancelled = true;
        return next.cancel();
    }
}
