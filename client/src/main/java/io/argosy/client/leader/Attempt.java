package io.argosy.client.leader;

import io.argosy.api.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** Something that may hang, done on a thread of its own so that nobody need wait longer than its outcome is worth. */
final class Attempt {
    private final Clock clock;
    private final CountDownLatch over = new CountDownLatch(1);
    /** Whoever comes first, the outcome or the hour, takes the hold again for who waits. */
    private final AtomicBoolean awake = new AtomicBoolean();

    private final Thread thread;
    private volatile Boolean outcome;

    Attempt(Clock clock, String name, BooleanSupplier action) {
        this.clock = clock;
        clock.hold();
        thread = Thread.ofVirtual().name(name).start(() -> {
            try {
                outcome = action.getAsBoolean();
            } finally {
                wake();
                clock.release();
            }
        });
    }

    /** The outcome, or nothing if there is none when the time is up; the caller holds the clock, and gives it back meanwhile. */
    Optional<Boolean> within(Duration time) throws InterruptedException {
        Clock.Timer timer = clock.schedule(time, this::wake);
        clock.release();
        try {
            over.await();
        } finally {
            timer.cancel();
            wake();
        }
        return Optional.ofNullable(outcome);
    }

    private void wake() {
        if (awake.compareAndSet(false, true)) {
            clock.hold();
            over.countDown();
        }
    }

    /** Breaks it off and waits for its end, so that the next does not overlap with it. */
    void end() {
        thread.interrupt();
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
