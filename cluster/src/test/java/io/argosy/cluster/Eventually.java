package io.argosy.cluster;

import static org.assertj.core.api.Assertions.fail;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for a condition of a whole cluster; in vain, it says how things stand. */
final class Eventually {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private Eventually() {}

    static void eventually(String what, BooleanSupplier condition, Supplier<Object> standing) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                fail("waited in vain: " + what + "; " + standing.get());
            }
            LockSupport.parkNanos(1_000_000);
        }
    }
}
