package io.argosy.junit.time;

import io.argosy.api.time.Clock;
import io.argosy.api.time.Holds;
import io.argosy.api.time.VirtualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * The clock of one life of the control plane: it goes with the test's clock, but what was planned or held in that life ends with it, so
 * that a control plane killed in the middle of its work leaves nothing that would run later or be waited for.
 */
public final class EraClock implements Clock {
    private final VirtualClock clock;
    private final Predicate<String> keptUp;
    private final Set<Watching> watchings = ConcurrentHashMap.newKeySet();
    private final Holds holds = new Holds();
    private final Set<Timer> timers = ConcurrentHashMap.newKeySet();
    private volatile boolean over;

    /** {@code keptUp} says of which subjects somebody is known to keep them up. */
    public EraClock(VirtualClock clock, Predicate<String> keptUp) {
        this.clock = clock;
        this.keptUp = keptUp;
    }

    /** The subject is no longer kept up: whoever watches over it will look in time. */
    public void abandoned(String subject) {
        for (Watching watching : List.copyOf(watchings)) {
            if (watching.subject.equals(subject) && watching.cancel()) {
                Duration left = Duration.between(clock.now(), watching.due);
                watching.planned = schedule(left, watching.task);
            }
        }
    }

    /** Who has work in this life. */
    public Holds holds() {
        return holds;
    }

    /** Nothing planned in this life happens any more. */
    public void end() {
        over = true;
        timers.forEach(Timer::cancel);
        timers.clear();
        watchings.forEach(Timer::cancel);
    }

    @Override
    public Instant now() {
        return clock.now();
    }

    @Override
    public Timer schedule(Duration delay, Runnable task) {
        Planned planned = new Planned();
        timers.add(planned);
        planned.timer = clock.schedule(delay, () -> {
            timers.remove(planned);
            if (!over) {
                task.run();
            }
        });
        return planned;
    }

    @Override
    public Timer every(Duration period, Runnable task) {
        Planned planned = new Planned();
        timers.add(planned);
        planned.timer = clock.every(period, () -> {
            if (!over) {
                task.run();
            }
        });
        return planned;
    }

    @Override
    public Timer watchOver(String subject, Duration delay, Runnable task) {
        if (!keptUp.test(subject)) {
            return schedule(delay, task);
        }
        Watching watching = new Watching(subject, clock.now().plus(delay), task);
        watchings.add(watching);
        watching.planned = clock.scheduleLazily(delay, () -> {
            watchings.remove(watching);
            if (!over) {
                task.run();
            }
        });
        return watching;
    }

    @Override
    public void hold() {
        holds.hold();
    }

    @Override
    public void release() {
        holds.release();
    }

    private final class Watching implements Timer {
        private final String subject;
        private final Instant due;
        private final Runnable task;
        private volatile Timer planned;

        private Watching(String subject, Instant due, Runnable task) {
            this.subject = subject;
            this.due = due;
            this.task = task;
        }

        @Override
        public boolean cancel() {
            watchings.remove(this);
            return planned.cancel();
        }
    }

    private final class Planned implements Timer {
        private volatile Timer timer;

        @Override
        public boolean cancel() {
            timers.remove(this);
            Timer planned = timer;
            return planned != null && planned.cancel();
        }
    }
}
