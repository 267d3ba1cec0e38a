package io.argosy.bench.load;

import java.io.IOException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Something that one thread changes and another waits for. */
final class Patience {
    synchronized void change(Runnable change) {
        change.run();
        notifyAll();
    }

    /** Waits until the condition holds; the time at which that was. If it takes too long, fails with what is there instead. */
    synchronized long until(BooleanSupplier condition, Duration limit, Supplier<String> instead)
            throws IOException, InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            long millis = (end - System.nanoTime()) / 1_000_000;
            if (millis <= 0) {
                throw new IOException(instead.get() + " after " + limit.toSeconds() + " s");
            }
            wait(millis);
        }
        return System.nanoTime();
    }
}
