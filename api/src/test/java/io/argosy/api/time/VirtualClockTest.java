package io.argosy.api.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class VirtualClockTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final VirtualClock clock = new VirtualClock(START);

    @Test
    void timeStandsStillUntilItIsAdvanced() {
        assertThat(clock.now()).isEqualTo(START);
        clock.advance(Duration.ofDays(30));
        assertThat(clock.now()).isEqualTo(START.plus(Duration.ofDays(30)));
    }

    @Test
    void dueTasksRunInTimeOrderAndEachSeesItsOwnHour() {
        List<String> ran = new ArrayList<>();
        clock.schedule(Duration.ofSeconds(3), () -> ran.add("c" + elapsed()));
        clock.schedule(Duration.ofSeconds(1), () -> {
            ran.add("a" + elapsed());
            clock.schedule(Duration.ofSeconds(1), () -> ran.add("b" + elapsed()));
        });
        clock.schedule(Duration.ofSeconds(9), () -> ran.add("late"));
        clock.advance(Duration.ofSeconds(5));
        assertThat(ran).containsExactly("a1", "b2", "c3");
        assertThat(clock.untilNext()).contains(Duration.ofSeconds(4));
    }

    @Test
    void aCancelledTaskDoesNotRun() {
        List<String> ran = new ArrayList<>();
        Clock.Timer timer = clock.schedule(Duration.ofSeconds(1), () -> ran.add("x"));
        assertThat(timer.cancel()).isTrue();
        clock.advance(Duration.ofSeconds(2));
        assertThat(ran).isEmpty();
        assertThat(timer.cancel()).isFalse();
    }

    @Test
    @Timeout(10)
    void aSleeperWakesWhenItsTimeHasCome() throws InterruptedException {
        Thread sleeper = Thread.ofVirtual().start(() -> {
            try {
                clock.sleep(Duration.ofHours(1));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        while (clock.waiting() == 0) {
            Thread.onSpinWait();
        }
        assertThat(sleeper.isAlive()).isTrue();
        clock.advance(Duration.ofHours(1));
        sleeper.join();
    }

    @Test
    void upkeepRunsOnceForAllThePeriodsSinceAndAsLateAsItCan() {
        List<String> ran = new ArrayList<>();
        Clock.Timer beat = clock.every(Duration.ofSeconds(10), () -> ran.add("beat" + elapsed()));
        clock.schedule(Duration.ofSeconds(95), () -> ran.add("task" + elapsed()));
        clock.advance(Duration.ofSeconds(9));
        assertThat(ran).isEmpty();
        clock.advance(Duration.ofSeconds(100));
        assertThat(ran).containsExactly("beat90", "task95", "beat100");
        assertThat(beat.cancel()).isTrue();
        clock.advance(Duration.ofDays(1));
        assertThat(ran).hasSize(3);
    }

    @Test
    void whatIsScheduledLazilyWaitsForAnotherReasonToLook() {
        List<String> ran = new ArrayList<>();
        clock.scheduleLazily(Duration.ofSeconds(5), () -> ran.add("lazy" + elapsed()));
        Clock.Timer taken = clock.scheduleLazily(Duration.ofSeconds(5), () -> ran.add("taken back"));
        clock.schedule(Duration.ofSeconds(20), () -> ran.add("task" + elapsed()));
        assertThat(taken.cancel()).isTrue();
        clock.advance(Duration.ofSeconds(4));
        assertThat(ran).isEmpty();
        clock.advance(Duration.ofSeconds(30));
        assertThat(ran).containsExactly("lazy20", "task20");
    }

    @Test
    @Timeout(10)
    void whoTurnsTheClockCanWaitForAllWhoHoldIt() throws InterruptedException {
        clock.hold();
        assertThat(clock.holds().awaitNone(Duration.ZERO)).isFalse();
        Thread worker = Thread.ofVirtual().start(clock::release);
        assertThat(clock.holds().awaitNone(Duration.ofMinutes(1))).isTrue();
        worker.join();
    }

    @Test
    @Timeout(10)
    void aSleeperLetsGoOfTheClockAndHoldsItAgainWhenItsTimeHasCome() throws InterruptedException {
        clock.hold();
        Thread sleeper = Thread.ofVirtual().start(() -> {
            try {
                clock.sleep(Duration.ofHours(1));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        assertThat(clock.holds().awaitNone(Duration.ofMinutes(1))).isTrue();
        clock.advance(Duration.ofHours(1));
        sleeper.join();
        assertThat(clock.holds().count()).isEqualTo(1);
    }

    private long elapsed() {
        return Duration.between(START, clock.now()).toSeconds();
    }
}
