package io.argosy.junit.time;

import io.argosy.api.time.Clock;
import io.argosy.api.time.Holds;
import io.argosy.api.time.VirtualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The clock of one life of the control plane: it goes with the test's clock, but what was planned or held in that life ends with it, so
 * that a control plane killed in the middle of its work leaves nothing that would run later or be waited for.
 */
public final class EraClock implements Clock {
    private final VirtualClock clock;
    private final Holds holds = new Holds();
    private final Set<Timer> timers = ConcurrentHashMap.newKeySet();
    private volatile boolean over;

    public EraClock(VirtualClock clock) {
        this.clock = clock;
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
    public void hold() {
        holds.hold();
    }

    @Override
    public void release() {
        holds.release();
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
