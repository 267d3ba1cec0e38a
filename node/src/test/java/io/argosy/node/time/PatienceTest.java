package io.argosy.node.time;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.VirtualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Limits in time that this process has had. */
class PatienceTest {
    private static final Duration STEP = Duration.ofMillis(100);

    private final AtomicBoolean over = new AtomicBoolean();
    private final LateClock clock = new LateClock();

    private void over() {
        over.set(true);
    }

    @Test
    void onTimeItIsOverExactlyAtItsLimit() {
        VirtualClock exact = new VirtualClock(Instant.EPOCH);
        Patience.of(exact, Duration.ofMillis(1050), this::over);
        exact.advance(Duration.ofMillis(1049));
        assertThat(over).isFalse();
        exact.advance(Duration.ofMillis(1));
        assertThat(over).isTrue();
    }

    @Test
    void aPauseCountsForNoMoreThanTheStepItFallsInto() {
        Patience.of(clock, Duration.ofSeconds(1), this::over);
        clock.ring(Duration.ofSeconds(30));
        for (int step = 2; step <= 9; step++) {
            clock.ring(STEP);
            assertThat(over).isFalse();
        }
        clock.ring(STEP);
        assertThat(over).isTrue();
    }

    @Test
    void afterAPauseInTheLastStepThereIsOneMore() {
        Patience.of(clock, STEP, this::over);
        clock.ring(Duration.ofSeconds(3));
        assertThat(over).isFalse();
        clock.ring(STEP);
        assertThat(over).isTrue();
    }

    @Test
    void aMachineThatIsAlwaysLateDoesNotWaitForEver() {
        Patience.of(clock, STEP, this::over);
        for (int step = 0; step <= 10; step++) {
            assertThat(over).isFalse();
            clock.ring(Duration.ofSeconds(3));
        }
        assertThat(over).isTrue();
    }

    @Test
    void theLimitCountsFromWhenTheOtherHasBegun() {
        AtomicBoolean begun = new AtomicBoolean();
        Patience.afterBegin(clock, Duration.ofSeconds(10), begun::get, STEP.multipliedBy(2), this::over);
        for (int step = 0; step < 50; step++) {
            clock.ring(STEP);
        }
        begun.set(true);
        clock.ring(STEP);
        clock.ring(STEP);
        assertThat(over).isFalse();
        clock.ring(STEP);
        assertThat(over).isTrue();
    }

    @Test
    void whoNeverBeginsIsNotWaitedForEither() {
        Patience.afterBegin(clock, STEP.multipliedBy(2), () -> false, Duration.ofSeconds(10), this::over);
        clock.ring(STEP);
        assertThat(over).isFalse();
        clock.ring(STEP);
        assertThat(over).isTrue();
    }

    @Test
    void whoIsDoneInTimeHearsNothing() {
        Patience patience = Patience.of(clock, STEP, this::over);
        patience.close();
        assertThat(clock.waiting()).isZero();
        assertThat(over).isFalse();
    }
}
