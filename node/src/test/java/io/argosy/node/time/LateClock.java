package io.argosy.node.time;

import io.argosy.api.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;

/** A clock whose timers ring when a test says so, which may be late: a process that had no turn. */
public final class LateClock implements Clock {
    private final Deque<Runnable> timers = new ArrayDeque<>();
    private Instant now = Instant.EPOCH;

    @Override
    public synchronized Instant now() {
        return now;
    }

    @Override
    public synchronized Timer schedule(Duration delay, Runnable task) {
        timers.add(task);
        return () -> remove(task);
    }

    private synchronized boolean remove(Runnable task) {
        return timers.remove(task);
    }

    /** So much time passes, and then the timer that was set first rings. */
    public void ring(Duration passed) {
        Runnable due;
        synchronized (this) {
            now = now.plus(passed);
            due = timers.remove();
        }
        due.run();
    }

    public synchronized int waiting() {
        return timers.size();
    }
}
