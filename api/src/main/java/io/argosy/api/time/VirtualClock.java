package io.argosy.api.time;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * A clock turned by hand: time stands still until somebody advances it, then every task that falls due runs in time order, each
 * seeing its own hour. Tasks run on the thread that turns the clock, so that {@link #advance} returns when they are done.
 */
public final class VirtualClock implements Clock {
    private final PriorityQueue<Task> tasks = new PriorityQueue<>();
    private final List<Upkeep> upkeeps = new ArrayList<>();
    private final List<Task> lazyTasks = new ArrayList<>();
    private final Holds holds = new Holds();
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
    public synchronized Timer every(Duration period, Runnable action) {
        Upkeep upkeep = new Upkeep(period, action);
        upkeep.last = now;
        upkeeps.add(upkeep);
        return () -> remove(upkeep);
    }

    /** Runs the task once, not before the delay is over, and not before time is looked at again for another reason. */
    public synchronized Timer scheduleLazily(Duration delay, Runnable action) {
        Task task = new Task(now.plus(delay), sequence++, action);
        lazyTasks.add(task);
        return () -> removeLazy(task);
    }

    private synchronized boolean removeLazy(Task task) {
        return lazyTasks.removeIf(candidate -> candidate == task);
    }

    @Override
    public void hold() {
        holds.hold();
    }

    @Override
    public void release() {
        holds.release();
    }

    /** Who holds the clock, and waiting for all to let go. */
    public Holds holds() {
        return holds;
    }

    /** Moves time on, running what falls due on the way, including what those tasks schedule in turn. */
    public void advance(Duration duration) {
        Instant until;
        synchronized (this) {
            until = now.plus(duration);
        }
        while (step(until)) {
            // each step runs one task
        }
    }

    /**
     * Moves time on to the next task and runs it, or, when none is due by then, to the end; upkeep comes first, as late as it can, and
     * then what was scheduled lazily. False when the end is reached and nothing is left to run until then.
     */
    public boolean step(Instant until) {
        List<Upkeep> due = new ArrayList<>();
        Instant next;
        synchronized (this) {
            Task first = tasks.peek();
            next = first == null || first.due.isAfter(until) ? until : first.due;
            for (Upkeep upkeep : upkeeps) {
                if (!upkeep.last.plus(upkeep.period).isAfter(next)) {
                    long periods = Duration.between(upkeep.last, next).dividedBy(upkeep.period);
                    upkeep.last = upkeep.last.plus(upkeep.period.multipliedBy(periods));
                    due.add(upkeep);
                }
            }
        }
        if (!due.isEmpty()) {
            due.sort((a, b) -> a.last.compareTo(b.last));
            for (Upkeep upkeep : due) {
                goOnTo(upkeep.last);
                upkeep.action.run();
            }
            return true; // what upkeep caused comes before the task
        }
        List<Task> lazy = lazyUntil(next);
        if (!lazy.isEmpty()) {
            goOnTo(next);
            lazy.forEach(waiting -> waiting.action.run());
            return true;
        }
        Task task = nextUntil(until);
        if (task == null) {
            return false;
        }
        task.action.run();
        return true;
    }

    private synchronized List<Task> lazyUntil(Instant hour) {
        List<Task> due = lazyTasks.stream()
                .filter(task -> !task.due.isAfter(hour))
                .sorted()
                .toList();
        lazyTasks.removeAll(due);
        return due;
    }

    private synchronized void goOnTo(Instant hour) {
        if (hour.isAfter(now)) {
            now = hour;
        }
    }

    /** How long until the next task or sleeper is due; empty when nothing waits. Upkeep does not count. */
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
            goOnTo(until);
            return null;
        }
        tasks.remove();
        goOnTo(next.due);
        return next;
    }

    private synchronized boolean remove(Task task) {
        return tasks.removeIf(candidate -> candidate == task);
    }

    private synchronized boolean remove(Upkeep upkeep) {
        return upkeeps.removeIf(candidate -> candidate == upkeep);
    }

    private record Task(Instant due, long sequence, Runnable action) implements Comparable<Task> {
        @Override
        public int compareTo(Task other) {
            int byTime = due.compareTo(other.due);
            return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
        }
    }

    private static final class Upkeep {
        private final Duration period;
        private final Runnable action;
        private Instant last;

        private Upkeep(Duration period, Runnable action) {
            this.period = period;
            this.action = action;
        }
    }
}
