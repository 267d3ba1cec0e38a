package io.argosy.api.time;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Counts the pieces of work that must be done before time goes on, and lets a thread wait until there are none. */
public final class Holds {
    private final AtomicLong count = new AtomicLong();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition none = lock.newCondition();
    private volatile boolean awaited;

    public void hold() {
        count.incrementAndGet();
    }

    public void release() {
        if (count.decrementAndGet() == 0 && awaited) {
            lock.lock();
            try {
                none.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    public long count() {
        return count.get();
    }

    /** Waits until nobody holds; false if that took longer than the patience, which is real time. */
    public boolean awaitNone(Duration patience) throws InterruptedException {
        if (count.get() == 0) {
            return true;
        }
        long left = patience.toNanos();
        lock.lock();
        try {
            awaited = true;
            while (count.get() != 0) {
                if (left <= 0) {
                    return false;
                }
                // In slices, because with several waiters the first to leave takes the mark that somebody waits along.
                long slice = Math.min(left, TimeUnit.MILLISECONDS.toNanos(100));
                left -= slice - none.awaitNanos(slice);
            }
            return true;
        } finally {
            awaited = false;
            lock.unlock();
        }
    }
}
