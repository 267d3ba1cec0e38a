package io.argosy.client.controller;

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

    private final Clock clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition available = lock.newCondition();
    private final ArrayDeque<K> queue = new ArrayDeque<>();
    private final Set<K> dirty = new HashSet<>();
    private final Set<K> processing = new HashSet<>();
    private final Map<K, Delayed> delayed = new HashMap<>();
    private final Map<K, Integer> failures = new HashMap<>();
    private boolean closed;
    private long adds;
    private long retries;

    public WorkQueue(Clock clock) {
        this.clock = clock;
    }

    /** What a metrics page shows of a queue. */
    public record Counts(int depth, int processing, int delayed, long adds, long retries) {}

    private record Delayed(Instant due, Clock.Timer timer) {}

    public void add(K key) {
        lock.lock();
        try {
            if (closed || !dirty.add(key)) {
                return;
            }
            adds++;
            if (!processing.contains(key)) {
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
            processing.add(key);
            return key;
        } finally {
            lock.unlock();
        }
    }

    public void done(K key) {
        lock.lock();
        try {
            boolean held = processing.remove(key);
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

    public Counts counts() {
        lock.lock();
        try {
            return new Counts(queue.size(), processing.size(), delayed.size(), adds, retries);
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
