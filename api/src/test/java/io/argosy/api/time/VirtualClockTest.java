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

    private long elapsed() {
        return Duration.between(START, clock.now()).toSeconds();
    }
}
