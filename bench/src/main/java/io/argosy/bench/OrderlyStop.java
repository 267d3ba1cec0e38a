package io.argosy.bench;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** While it is open, a process that is told to end lets the thread that opened it first end and remove what it has started. */
final class OrderlyStop implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(90);

    private final Thread worker = Thread.currentThread();
    private final CountDownLatch done = new CountDownLatch(1);
    private final Thread hook = Thread.ofPlatform().name("orderly-stop").unstarted(this::stop);

    OrderlyStop() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    private void stop() {
        worker.interrupt();
        try {
            done.await(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        done.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            // it has been waiting for us, and the process ends now
        }
    }
}
