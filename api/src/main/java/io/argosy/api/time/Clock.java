package io.argosy.api.time;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The only source of time: what the hour is, and waking up later. A test turns it by hand.
 *
 * <p><b>Holds.</b> Who turns a clock by hand must know when everybody has done what the present moment asks of them. So every loop
 * holds the clock while it has work: from the moment something is handed to it until it is done, and whoever hands on work lets the
 * next one hold before letting go. Waiting for time, or for what others will do, is not work. The wall clock does not care, and it
 * costs nothing there.
 */
public interface Clock {
    Instant now();

    /** Runs the task once, after the delay, on a thread of the clock's choosing; the task must not block for long. */
    Timer schedule(Duration delay, Runnable task);

    /**
     * Runs the task again and again, for upkeep that shows in nothing but its last run, such as a heartbeat. Where time is turned by
     * hand, one run just before time is looked at stands for all the runs since the last.
     */
    default Timer every(Duration period, Runnable task) {
        return new Repeating(this, period, task);
    }

    /**
     * Runs the task once, after the delay, to see whether somebody else's upkeep of the subject goes on. Where time is turned by hand by
     * one who knows that it does, the task may come later, and once for many.
     */
    default Timer watchOver(String subject, Duration delay, Runnable task) {
        return schedule(delay, task);
    }

    /**
     * Blocks the calling thread until the duration has passed on this clock. A thread that sleeps must hold the clock; its hold is
     * given back while it sleeps.
     */
    default void sleep(Duration duration) throws InterruptedException {
        if (!duration.isPositive()) {
            return;
        }
        CountDownLatch due = new CountDownLatch(1);
        // Whoever comes first, the hour or an interruption, takes the hold again for the sleeper.
        AtomicBoolean awake = new AtomicBoolean();
        Timer timer = schedule(duration, () -> {
            if (awake.compareAndSet(false, true)) {
                hold();
                due.countDown();
            }
        });
        release();
        try {
            due.await();
        } finally {
            timer.cancel();
            if (awake.compareAndSet(false, true)) {
                hold();
            }
        }
    }

    /** {@link #sleep} for a thread that does not hold the clock: what it will do then is nobody's concern before. */
    default void pause(Duration duration) throws InterruptedException {
        hold();
        try {
            sleep(duration);
        } finally {
            release();
        }
    }

    /** Work begins: time must not go on before as many releases. */
    default void hold() {}

    /** The work is done. */
    default void release() {}

    /** A task waiting for its time. */
    interface Timer {
        /** Takes the task back; true if it had not begun. */
        boolean cancel();
    }

    static Clock system() {
        return SystemClock.INSTANCE;
    }
}
