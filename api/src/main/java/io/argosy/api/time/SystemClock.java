package io.argosy.api.time;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The wall clock, with one daemon thread that hands each due task to a virtual thread. */
final class SystemClock implements Clock {
    static final SystemClock INSTANCE = new SystemClock();

    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("clock").factory());

    private SystemClock() {
        timer.setRemoveOnCancelPolicy(true);
    }

    @Override
    public Instant now() {
        return Instant.now();
    }

    @Override
    public Timer schedule(Duration delay, Runnable task) {
        Future<?> pending = timer.schedule(
                () -> {
                    Thread.ofVirtual().name("timer").start(task);
                },
                Math.max(0, delay.toNanos()),
                TimeUnit.NANOSECONDS);
        return () -> pending.cancel(false);
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
        Thread.sleep(duration);
    }
}
