package io.argosy.operators.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.operators.resource.EtcdClusterStatus;
import io.argosy.operators.resource.EtcdClusterStatus.Silent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How long a member counts as silent, by what was noted and what the clock shows. */
class SilenceTest {
    private static final Instant NOTED = Instant.parse("2026-01-01T12:00:00Z");

    /** Seconds: counted until the look that was noted, from then to now, counted now. */
    @ParameterizedTest(name = "{0} s, {1} s later: {2} s")
    @CsvSource({
        "0, 0, 0",
        "10, 3, 13", // looked all the time
        "10, 8, 18",
        "10, 600, 18", // nobody looked, or the clock was set forward
        "10, -600, 10", // it was set back
        "10, 31536000, 18"
    })
    void onlyTimeInWhichSomebodyLooksCounts(long counted, long later, long now) {
        Instant clock = NOTED.plusSeconds(later);
        Silence silence = new Silence(status(silent(counted)), clock);
        assertThat(Duration.between(silence.since("a"), clock)).isEqualTo(Duration.ofSeconds(now));
        assertThat(silence.since("b")).isEqualTo(clock);
    }

    @ParameterizedTest(name = "{0} s later: {1}")
    @CsvSource({"0, true", "5, true", "6, false", "600, false", "-600, false"})
    void aLookIsNotedNowAndThen(long later, boolean kept) {
        Instant clock = NOTED.plusSeconds(later);
        Silent noted = silent(10);
        Silence silence = new Silence(status(noted), clock);
        Silent entry = silence.entry("a", silence.since("a"));
        assertThat(entry.equals(noted)).isEqualTo(kept);
        assertThat(new Silence(status(entry), clock).since("a")).isEqualTo(silence.since("a"));
    }

    private static Silent silent(long counted) {
        return new Silent("a", NOTED.minusSeconds(counted).toString(), NOTED.toString());
    }

    private static EtcdClusterStatus status(Silent silent) {
        return new EtcdClusterStatus(
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                List.of(silent),
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null);
    }
}
