package io.argosy.api.time;

import java.time.Duration;
import java.time.Instant;

/** The only source of time: what the hour is, and waking up later. A test turns it by hand. */
public interface Clock {
    Instant now();

    /** Runs the task once, after the delay, on a thread of the clock's choosing; the task must not block for long. */
    Timer schedule(Duration delay, Runnable task);

    /** Blocks the calling thread until the duration has passed on this clock. */
    void sleep(Duration duration) throws InterruptedException;

    /** A task waiting for its time. */
    interface Timer {
        /** Takes the task back; true if it had not begun. */
        boolean cancel();
    }

    static Clock system() {
        return SystemClock.INSTANCE;
    }
}
