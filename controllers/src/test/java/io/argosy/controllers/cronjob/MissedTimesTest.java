package io.argosy.controllers.cronjob;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.CronSchedule;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MissedTimesTest {
    @ParameterizedTest(name = "{0} from {1} to {2}: {3}, too many: {4}")
    @CsvSource(
            delimiter = '|',
            value = {
                "0 * * * * | 2026-01-01T00:10:00Z | 2026-01-01T00:59:59Z | | false",
                "0 * * * * | 2026-01-01T00:10:00Z | 2026-01-01T01:00:00Z | 2026-01-01T01:00:00Z | false",
                "0 * * * * | 2026-01-01T00:10:00Z | 2026-01-01T03:30:00Z | 2026-01-01T03:00:00Z | false",
                "* * * * * | 2026-01-01T00:00:00Z | 2026-01-01T01:40:00Z | 2026-01-01T01:40:00Z | false",
                "* * * * * | 2026-01-01T00:00:00Z | 2026-01-01T01:41:00Z | 2026-01-01T01:41:00Z | true",
                "0 0 1 * * | 2026-01-15T00:00:00Z | 2026-12-24T00:00:00Z | 2026-12-01T00:00:00Z | false",
                "0 9 * * 1-5 | 2026-01-01T10:00:00Z | 2026-01-13T08:00:00Z | 2026-01-12T09:00:00Z | false"
            })
    void timesThatCameAndWent(String schedule, Instant from, Instant now, Instant latest, boolean tooMany) {
        MissedTimes missed = MissedTimes.between(CronSchedule.parse(schedule), from, now, ZoneOffset.UTC);
        assertThat(missed.latest().orElse(null)).isEqualTo(latest);
        assertThat(missed.tooMany()).isEqualTo(tooMany);
    }
}
