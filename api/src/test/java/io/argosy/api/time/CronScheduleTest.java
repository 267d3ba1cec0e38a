package io.argosy.api.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CronScheduleTest {
    @ParameterizedTest(name = "{0} after {1}: {2}")
    @CsvSource(
            delimiter = '|',
            value = {
                "* * * * * | 2026-01-01T00:00:00Z | 2026-01-01T00:01:00Z",
                "* * * * * | 2026-01-01T00:00:59.5Z | 2026-01-01T00:01:00Z",
                "*/15 * * * * | 2026-01-01T00:45:00Z | 2026-01-01T01:00:00Z",
                "5/20 * * * * | 2026-01-01T00:26:00Z | 2026-01-01T00:45:00Z",
                "0 22-23/1,3 * * * | 2026-01-01T00:00:00Z | 2026-01-01T03:00:00Z",
                "30 4 1,15 * FRI | 2026-01-01T05:00:00Z | 2026-01-02T04:30:00Z",
                "30 4 1,15 * * | 2026-01-01T05:00:00Z | 2026-01-15T04:30:00Z",
                "0 0 */2 * mon | 2026-01-01T05:00:00Z | 2026-01-03T00:00:00Z",
                "0 0 * * 1-5 | 2026-01-02T05:00:00Z | 2026-01-05T00:00:00Z",
                "0 0 ? DEC ? | 2026-01-02T05:00:00Z | 2026-12-01T00:00:00Z",
                "0 12 29 2 * | 2026-01-01T00:00:00Z | 2028-02-29T12:00:00Z",
                "@hourly | 2026-01-01T00:00:00Z | 2026-01-01T01:00:00Z",
                "@daily | 2026-01-01T00:00:00Z | 2026-01-02T00:00:00Z",
                "@midnight | 2026-01-01T00:00:00Z | 2026-01-02T00:00:00Z",
                "@weekly | 2026-01-01T00:00:00Z | 2026-01-04T00:00:00Z",
                "@monthly | 2026-01-01T00:00:00Z | 2026-02-01T00:00:00Z",
                "@yearly | 2026-01-01T00:00:00Z | 2027-01-01T00:00:00Z",
                "@annually | 2026-01-01T00:00:00Z | 2027-01-01T00:00:00Z",
                "@every 1h30m | 2026-01-01T00:00:10.7Z | 2026-01-01T01:30:10Z"
            })
    void next(String schedule, Instant after, Instant next) {
        assertThat(CronSchedule.parse(schedule).next(after, ZoneOffset.UTC)).contains(next);
    }

    @ParameterizedTest(name = "{0} in {1} after {2}: {3}")
    @CsvSource(
            delimiter = '|',
            value = {
                "0 9 * * * | Asia/Tokyo | 2026-01-01T00:00:00Z | 2026-01-02T00:00:00Z",
                "30 2 * * * | Europe/Berlin | 2026-03-28T12:00:00Z | 2026-03-30T00:30:00Z", // left out on the 29th
                "30 2 * * * | Europe/Berlin | 2026-10-24T12:00:00Z | 2026-10-25T00:30:00Z", // the first of two
                "30 2 * * * | Europe/Berlin | 2026-10-25T00:30:00Z | 2026-10-25T01:30:00Z" // the second
            })
    void zones(String schedule, String zone, Instant after, Instant next) {
        assertThat(CronSchedule.parse(schedule).next(after, ZoneId.of(zone))).contains(next);
    }

    @Test
    void aDayThatNeverComesIsNotWaitedForForEver() {
        assertThat(CronSchedule.parse("0 0 30 2 *").next(Instant.EPOCH, ZoneOffset.UTC))
                .isEmpty();
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | empty spec string",
                "* * * * | expected exactly 5 fields, found 4: [* * * *]",
                "0 * * * * * | expected exactly 5 fields, found 6: [0 * * * * *]",
                "60 * * * * | end of range (60) above maximum (59): 60",
                "* * 0 * * | beginning of range (0) below minimum (1): 0",
                "* * * * 7 | end of range (7) above maximum (6): 7",
                "5-2 * * * * | beginning of range (5) beyond end of range (2): 5-2",
                "*/0 * * * * | step of range should be a positive number: */0",
                "1/2/3 * * * * | too many slashes: 1/2/3",
                "1-2-3 * * * * | too many hyphens: 1-2-3",
                "x * * * * | failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax",
                "@sometimes | unrecognized descriptor: @sometimes",
                "@every 9999999999h | failed to parse duration @every 9999999999h: time: invalid duration \"9999999999h\"",
                "@every often | failed to parse duration @every often: time: invalid duration \"often\""
            })
    void whatCannotBeRead(String schedule, String why) {
        assertThatThrownBy(() -> CronSchedule.parse(schedule)).hasMessage(why);
    }
}
