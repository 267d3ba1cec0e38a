package io.argosy.client.informer;

import io.argosy.api.time.Clock;
import java.util.PriorityQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A revision that only grows, and the threads that wait for it to reach theirs; an advance wakes only those it serves. */
final class RevisionGate {
    private final Clock clock;
    private final PriorityQueue<Waiter> waiters = new PriorityQueue<>();
    private volatile long revision;
    private volatile long nextWanted = Long.MAX_VALUE;

    RevisionGate(Clock clock) {
        this.clock = clock;
    }

    long revision() {
        return revision;
    }

    /** Called by the one thread that keeps the cache. */
    void advance(long reached) {
        if (reached <= revision) {
            return;
        }
        revision = reached;
        if (nextWanted <= reached) {
            wake();
        }
    }

    /** Waits as long as it takes. */
    void await(long wanted) throws InterruptedException {
        await(new Waiter(wanted, false, new CountDownLatch(1)), Long.MAX_VALUE);
    }

    /** For one who holds the clock, and lets go of it while waiting. False if the time, which is real time, ran out first. */
    boolean awaitHolding(long wanted, long nanos) throws InterruptedException {
        return await(new Waiter(wanted, true, new CountDownLatch(1)), nanos);
    }

    private boolean await(Waiter waiter, long nanos) throws InterruptedException {
        long wanted = waiter.wanted;
        if (revision >= wanted) {
            return true;
        }
        synchronized (waiters) {
            waiters.add(waiter);
            nextWanted = waiters.peek().wanted;
        }
        if (waiter.holding) {
            clock.release();
        }
        // The gate may have moved between the first look and the entry in the queue.
        if (revision >= wanted) {
            wake();
        }
        try {
            return waiter.reached.await(nanos, TimeUnit.NANOSECONDS);
        } finally {
            if (forget(waiter) && waiter.holding) {
                clock.hold();
            }
        }
    }

    private void wake() {
        synchronized (waiters) {
            while (!waiters.isEmpty() && waiters.peek().wanted <= revision) {
                Waiter waiter = waiters.remove();
                if (waiter.holding) {
                    clock.hold(); // for the waiter, who has not gone on yet
                }
                waiter.reached.countDown();
            }
            nextWanted = waiters.isEmpty() ? Long.MAX_VALUE : waiters.peek().wanted;
        }
    }

    /** True if the waiter had not been served. */
    private boolean forget(Waiter waiter) {
        if (waiter.reached.getCount() == 0) {
            return false;
        }
        synchronized (waiters) {
            boolean found = waiters.removeIf(candidate -> candidate == waiter);
            nextWanted = waiters.isEmpty() ? Long.MAX_VALUE : waiters.peek().wanted;
            return found;
        }
    }

    private record Waiter(long wanted, boolean holding, CountDownLatch reached) implements Comparable<Waiter> {
        @Override
        public int compareTo(Waiter other) {
            return Long.compare(wanted, other.wanted);
        }
    }
}
