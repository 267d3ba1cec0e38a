package io.argosy.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class CompactionPolicyTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    @Test
    void historyIsKeptForItsTime() {
        CompactionPolicy policy = new CompactionPolicy(Duration.ofMinutes(5), 0);
        for (int minute = 0; minute < 5; minute++) {
            assertThat(policy.observe(minute(minute), 100 + minute)).isEmpty();
        }
        assertThat(policy.observe(minute(5), 105)).hasValue(100);
        assertThat(policy.observe(minute(7), 107)).hasValue(102);
    }

    @Test
    void aLongPauseCompactsToTheNewestThatIsOldEnough() {
        CompactionPolicy policy = new CompactionPolicy(Duration.ofMinutes(5), 0);
        policy.observe(minute(0), 100);
        policy.observe(minute(1), 200);
        assertThat(policy.observe(minute(60), 200)).hasValue(200);
    }

    @Test
    void theNewestRevisionsAreKeptHoweverOld() {
        CompactionPolicy policy = new CompactionPolicy(Duration.ofMinutes(5), 1000);
        policy.observe(minute(0), 100);
        assertThat(policy.observe(minute(10), 1099)).isEmpty();
        assertThat(policy.observe(minute(11), 1100)).hasValue(100);
    }

    @Test
    void nothingNewIsNothingToCompact() {
        CompactionPolicy policy = new CompactionPolicy(Duration.ofMinutes(5), 0);
        policy.observe(minute(0), 100);
        assertThat(policy.observe(minute(10), 100)).hasValue(100);
        assertThat(policy.observe(minute(20), 100)).isEmpty();
    }

    @Test
    void aFloodIsNotKeptForItsTime() {
        CompactionPolicy policy = new CompactionPolicy(Duration.ofMinutes(5), 1000, 50_000);
        policy.observe(minute(0), 100);
        assertThat(policy.observe(minute(1), 40_000)).isEmpty();
        assertThat(policy.observe(minute(2), 80_000)).hasValue(100);
        assertThat(policy.observe(minute(3), 120_000)).hasValue(40_000);
    }

    private static Instant minute(int minute) {
        return NOON.plus(Duration.ofMinutes(minute));
    }
}
