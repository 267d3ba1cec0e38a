package io.argosy.api.time;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.CountDownLatch;

/**
 * A clock turned by hand: time stands still until somebody advances it, then every task that falls due runs in time order, each
 * seeing its own hour. Tasks run on the thread that turns the clock, so that {@link #advance} returns when they are done.
 */
public final class VirtualClock implements Clock {
    private final PriorityQueue<Task> tasks = new PriorityQueue<>();
    private Instant now;
    private long sequence;

    public VirtualClock(Instant start) {
        now = start;
    }

    @Override
    public synchronized Instant now() {
        return now;
    }

    @Override
    public synchronized Timer schedule(Duration delay, Runnable action) {
        Task task = new Task(delay.isNegative() ? now : now.plus(delay), sequence++, action);
        tasks.add(task);
        return () -> remove(task);
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
        if (!duration.isPositive()) {
            return;
        }
        CountDownLatch due = new CountDownLatch(1);
        Timer timer = schedule(duration, due::countDown);
        try {
            due.await();
        } finally {
            timer.cancel();
        }
    }

    /** Moves time on, running what falls due on the way, including what those tasks schedule in turn. */
    public void advance(Duration duration) {
        Instant until;
        synchronized (this) {
            until = now.plus(duration);
        }
        for (Task task = nextUntil(until); task != null; task = nextUntil(until)) {
            task.action.run();
        }
    }

    /** How long until the next task or sleeper is due; empty when nothing waits. */
    public synchronized Optional<Duration> untilNext() {
        return tasks.isEmpty() ? Optional.empty() : Optional.of(Duration.between(now, tasks.peek().due));
    }

    /** How many tasks and sleepers wait for their time. */
    public synchronized int waiting() {
        return tasks.size();
    }

    private synchronized Task nextUntil(Instant until) {
        Task next = tasks.peek();
        if (next == null || next.due.isAfter(until)) {
            if (until.isAfter(now)) {
                now = until;
            }
            return null;
        }
        tasks.remove();
        if (next.due.isAfter(now)) {
            now = next.due;
        }
        return next;
    }

    private synchronized boolean remove(Task task) {
        return tasks.removeIf(candidate -> candidate == task);
    }

    private record Task(Instant due, long sequence, Runnable action) implements Comparable<Task> {
        @Override
        public int compareTo(Task other) {
            int byTime = due.compareTo(other.due);
            return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
        }
    }
}
