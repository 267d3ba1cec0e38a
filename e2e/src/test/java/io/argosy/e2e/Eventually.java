package io.argosy.e2e;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for a condition on programs outside this process, which give no signal when they come to meet it. */
final class Eventually {
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final long STEP_NANOS = Duration.ofMillis(100).toNanos();

    private Eventually() {}

    static void holds(String what, BooleanSupplier condition, Supplier<String> state) {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("not within " + LIMIT.toSeconds() + " s: " + what + "\n" + state.get());
            }
            LockSupport.parkNanos(STEP_NANOS);
        }
    }
}
