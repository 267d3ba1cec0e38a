package io.argosy.client.controller;

import io.argosy.api.metrics.Histogram;
import io.argosy.api.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * Keys waiting for work. A key is queued at most once and worked on by at most one worker; one that is added while it is worked
 * on comes again afterwards. Same rules as client-go's work queue, on which every controller of the field relies. A key holds the
 * clock from when it is queued until it is done.
 */
public final class WorkQueue<K> {
    private static final Duration FIRST_BACK_OFF = Duration.ofMillis(5);
    private static final Duration LONGEST_BACK_OFF = Duration.ofSeconds(1000);
    private static final double[] SECONDS = Histogram.exponential(1e-8, 10, 10);

    private final Clock clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition available = lock.newCondition();
    private final ArrayDeque<K> queue = new ArrayDeque<>();
    private final Set<K> dirty = new HashSet<>();
    private final Map<K, Instant> queuedAt = new HashMap<>();
    private final Map<K, Instant> processing = new HashMap<>();
    private final Histogram waited = new Histogram(SECONDS);
    private final Histogram worked = new Histogram(SECONDS);
    private final Map<K, Delayed> delayed = new HashMap<>();
    private final Map<K, Integer> failures = new HashMap<>();
    private boolean closed;
    private long adds;
    private long retries;

    /** An empty queue whose delays go by that clock. */
    public WorkQueue(Clock clock) {
        this.clock = clock;
    }

    /** What a metrics page shows of a queue. */
    public record Counts(int depth, int processing, int delayed, long adds, long retries) {}

    /**
     * How long keys wait and are worked on.
     *
     * @param longest how long the oldest work under way has taken so far
     * @param unfinished how long all work under way has taken so far
     */
    public record Times(Histogram waited, Histogram worked, Duration longest, Duration unfinished) {}

    private record Delayed(Instant due, Clock.Timer timer) {}

    /** Adds the key, unless it waits already; one that is being worked on comes back when that is done. */
    public void add(K key) {
        lock.lock();
        try {
            if (closed || !dirty.add(key)) {
                return;
            }
            adds++;
            queuedAt.put(key, clock.now());
            if (!processing.containsKey(key)) {
                clock.hold();
                queue.add(key);
                available.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Adds the key when the delay has passed; of several delays the one that ends first counts. */
    public void addAfter(K key, Duration delay) {
        addAfter(key, delay, task -> clock.schedule(delay, task));
    }

    /** As {@link #addAfter}, to see whether somebody's upkeep of the subject goes on. */
    public void watchOver(K key, String subject, Duration delay) {
        addAfter(key, delay, task -> clock.watchOver(subject, delay, task));
    }

    private void addAfter(K key, Duration delay, Function<Runnable, Clock.Timer> schedule) {
        if (!delay.isPositive()) {
            add(key);
            return;
        }
        lock.lock();
        try {
            Instant due = clock.now().plus(delay);
            Delayed earlier = delayed.get(key);
            if (closed || earlier != null && !earlier.due.isAfter(due)) {
                return;
            }
            if (earlier != null) {
                earlier.timer.cancel();
            }
            delayed.put(key, new Delayed(due, schedule.apply(() -> ripen(key, due))));
        } finally {
            lock.unlock();
        }
    }

    /** Adds the key after a delay that doubles with every failure since it was last forgotten: 5 ms, 10 ms ... 1000 s. */
    public void addRateLimited(K key) {
        Duration delay;
        lock.lock();
        try {
            retries++;
            int failed = failures.merge(key, 1, Integer::sum) - 1;
            delay = failed >= 18 ? LONGEST_BACK_OFF : FIRST_BACK_OFF.multipliedBy(1L << failed);
        } finally {
            lock.unlock();
        }
        addAfter(key, delay.compareTo(LONGEST_BACK_OFF) > 0 ? LONGEST_BACK_OFF : delay);
    }

    /** The key went well: its next failure starts with the shortest delay again. */
    public void forget(K key) {
        lock.lock();
        try {
            failures.remove(key);
        } finally {
            lock.unlock();
        }
    }

    /** How often in a row the key has failed. */
    public int failures(K key) {
        lock.lock();
        try {
            return failures.getOrDefault(key, 0);
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a key; null when the queue is closed. The taker owes a {@link #done}. */
    public K take() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (queue.isEmpty()) {
                if (closed) {
                    return null;
                }
                available.await();
            }
            K key = queue.poll();
            dirty.remove(key);
            Instant now = clock.now();
            waited.observe(Duration.between(queuedAt.remove(key), now).toNanos());
            processing.put(key, now);
            return key;
        } finally {
            lock.unlock();
        }
    }

    /** The work on a key that was taken has ended, well or not. */
    public void done(K key) {
        lock.lock();
        try {
            Instant begun = processing.remove(key);
            boolean held = begun != null;
            if (held) {
                worked.observe(Duration.between(begun, clock.now()).toNanos());
            }
            if (dirty.contains(key)) {
                queue.add(key);
                available.signal();
            } else if (held) {
                clock.release();
            }
        } finally {
            lock.unlock();
        }
    }

    /** True when nothing is queued or worked on; keys that wait for their time do not count. */
    public boolean idle() {
        lock.lock();
        try {
            return dirty.isEmpty() && processing.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** How many keys are where. */
    public Counts counts() {
        lock.lock();
        try {
            return new Counts(queue.size(), processing.size(), delayed.size(), adds, retries);
        } finally {
            lock.unlock();
        }
    }

    /** How long keys have waited and were worked on. */
    public Times times() {
        lock.lock();
        try {
            Instant now = clock.now();
            Duration longest = Duration.ZERO;
            Duration unfinished = Duration.ZERO;
            for (Instant begun : processing.values()) {
                Duration taken = Duration.between(begun, now);
                unfinished = unfinished.plus(taken);
                longest = taken.compareTo(longest) > 0 ? taken : longest;
            }
            return new Times(waited, worked, longest, unfinished);
        } finally {
            lock.unlock();
        }
    }

    /** Takes no more keys in and drops what waits; takers return. */
    public void close() {
        lock.lock();
        try {
            closed = true;
            queue.forEach(dropped -> clock.release());
            queue.clear();
            dirty.clear();
            queuedAt.clear();
            delayed.values().forEach(waiting -> waiting.timer.cancel());
            delayed.clear();
            available.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void ripen(K key, Instant due) {
        lock.lock();
        try {
            Delayed waiting = delayed.get(key);
            if (waiting == null || !waiting.due.equals(due)) {
                return;
            }
            delayed.remove(key);
            add(key);
        } finally {
            lock.unlock();
        }
    }
}
