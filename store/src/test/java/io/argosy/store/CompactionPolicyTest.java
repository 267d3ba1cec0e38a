package io.argosy.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class CompactionPolicyTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    @Test
    void historyIsKeptForItsTime() {
        CompactionPolicy policy = new CompactionPolicy(Duration.ofMinutes(5), Long.MAX_VALUE, Long.MAX_VALUE);
        for (int minute = 0; minute < 5; minute++) {
            assertThat(policy.observe(minute(minute), 100 + minute, 0)).isEmpty();
        }
        assertThat(policy.observe(minute(5), 105, 0)).hasValue(100);
        assertThat(policy.observe(minute(7), 107, 0)).hasValue(102);
    }

    @Test
    void aLongPauseCompactsToTheNewestThatIsOldEnough() {
        CompactionPolicy policy = new CompactionPolicy(Duration.ofMinutes(5), Long.MAX_VALUE, Long.MAX_VALUE);
        policy.observe(minute(0), 100, 0);
        policy.observe(minute(1), 200, 0);
        assertThat(policy.observe(minute(60), 200, 0)).hasValue(200);
    }

    @Test
    void nothingNewIsNothingToCompact() {
        CompactionPolicy policy = new CompactionPolicy(Duration.ofMinutes(5), Long.MAX_VALUE, Long.MAX_VALUE);
        policy.observe(minute(0), 100, 0);
        assertThat(policy.observe(minute(10), 100, 0)).hasValue(100);
        assertThat(policy.observe(minute(20), 100, 0)).isEmpty();
    }

    @Test
    void aFloodIsNotKeptForItsTime() {
        CompactionPolicy policy = new CompactionPolicy(Duration.ofMinutes(5), 50_000, Long.MAX_VALUE);
        policy.observe(minute(0), 100, 0);
        assertThat(policy.observe(minute(1), 40_000, 0)).isEmpty();
        assertThat(policy.observe(minute(2), 80_000, 0)).hasValue(100);
        assertThat(policy.observe(minute(3), 120_000, 0)).hasValue(40_000);
    }

    @Test
    void aFloodOfLargeValuesIsNotKeptForItsTimeEither() {
        CompactionPolicy policy = new CompactionPolicy(Duration.ofMinutes(5), Long.MAX_VALUE, 1000);
        policy.observe(minute(0), 100, 0);
        assertThat(policy.observe(minute(1), 110, 900)).isEmpty();
        assertThat(policy.observe(minute(2), 120, 1800)).hasValue(100);
        assertThat(policy.observe(minute(3), 130, 2000)).hasValue(110);
    }

    private static Instant minute(int minute) {
        return NOON.plus(Duration.ofMinutes(minute));
    }
}
