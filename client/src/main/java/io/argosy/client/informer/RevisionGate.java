package io.argosy.client.informer;

import java.util.PriorityQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A revision that only grows, and the threads that wait for it to reach theirs; an advance wakes only those it serves. */
final class RevisionGate {
    private final PriorityQueue<Waiter> waiters = new PriorityQueue<>();
    private volatile long revision;
    private volatile long nextWanted = Long.MAX_VALUE;

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

    /** False if the time ran out first. */
    boolean await(long wanted, long timeout, TimeUnit unit) throws InterruptedException {
        if (revision >= wanted) {
            return true;
        }
        Waiter waiter = new Waiter(wanted, new CountDownLatch(1));
        synchronized (waiters) {
            waiters.add(waiter);
            nextWanted = waiters.peek().wanted;
        }
        // The gate may have moved between the first look and the entry in the queue.
        if (revision >= wanted) {
            wake();
        }
        try {
            return waiter.reached.await(timeout, unit);
        } finally {
            if (waiter.reached.getCount() > 0) {
                forget(waiter);
            }
        }
    }

    private void wake() {
        synchronized (waiters) {
            while (!waiters.isEmpty() && waiters.peek().wanted <= revision) {
                waiters.remove().reached.countDown();
            }
            nextWanted = waiters.isEmpty() ? Long.MAX_VALUE : waiters.peek().wanted;
        }
    }

    private void forget(Waiter waiter) {
        synchronized (waiters) {
            waiters.removeIf(candidate -> candidate == waiter);
            nextWanted = waiters.isEmpty() ? Long.MAX_VALUE : waiters.peek().wanted;
        }
    }

    private record Waiter(long wanted, CountDownLatch reached) implements Comparable<Waiter> {
        @Override
        public int compareTo(Waiter other) {
            return Long.compare(wanted, other.wanted);
        }
    }
}
