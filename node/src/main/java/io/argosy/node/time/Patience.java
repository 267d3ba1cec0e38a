package io.argosy.node.time;

import io.argosy.api.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;

/**
 * Waits for somebody else no longer than a limit, and holds no pause of this process against them. The limit is counted in short steps,
 * each of which counts for no more than it should have taken: while the collector stops the world, or the machine gives this process no
 * turn, the steps stand still too. The last step must have been on time, because what came during a pause has not been read yet.
 */
public final class Patience implements AutoCloseable {
    private static final Duration STEP = Duration.ofMillis(100);

    /** A machine that is late for ever must not wait for ever. */
    private static final int MOST_MORE = 10;

    private final Clock clock;
    private final BooleanSupplier begins;
    private final Runnable over;
    private boolean begun;
    private Duration untilBegun;
    private Duration left;
    private Duration step;
    private Instant stepBegan;
    private int more;
    private Clock.Timer timer;
    private boolean closed;

    private Patience(Clock clock, Duration untilBegun, BooleanSupplier begins, Duration limit, Runnable over) {
        this.clock = clock;
        this.untilBegun = untilBegun;
        this.begins = begins;
        this.left = limit;
        this.over = over;
        begun = begins.getAsBoolean();
    }

    /** Does what is to be done when the limit is over, unless it is closed before. */
    public static Patience of(Clock clock, Duration limit, Runnable over) {
        return afterBegin(clock, Duration.ZERO, () -> true, limit, over);
    }

    /** The limit counts from when the other is seen to have begun, for which there is a limit of its own. */
    public static Patience afterBegin(
            Clock clock, Duration untilBegun, BooleanSupplier begins, Duration limit, Runnable over) {
        Patience patience = new Patience(clock, untilBegun, begins, limit, over);
        patience.next(patience.begun ? limit : untilBegun);
        return patience;
    }

    private synchronized void next(Duration rest) {
        step = rest.compareTo(STEP) < 0 ? rest : STEP;
        stepBegan = clock.now();
        timer = clock.schedule(step, this::stepped);
    }

    private void stepped() {
        if (isOver()) {
            over.run();
        }
    }

    /** Counts the step that has ended, and begins another unless it was the last. */
    private synchronized boolean isOver() {
        if (closed) {
            return false;
        }
        boolean late = Duration.between(stepBegan, clock.now()).compareTo(step.plus(STEP)) > 0;
        Duration rest;
        if (begun) {
            left = left.minus(step);
            rest = left;
        } else {
            untilBegun = untilBegun.minus(step);
            begun = begins.getAsBoolean();
            rest = begun ? left : untilBegun;
        }
        if (!rest.isPositive() && late && more < MOST_MORE) {
            more++;
            rest = STEP;
        }
        if (rest.isPositive()) {
            next(rest);
        }
        return !rest.isPositive();
    }

    @Override
    public synchronized void close() {
        closed = true;
        timer.cancel();
    }
}
