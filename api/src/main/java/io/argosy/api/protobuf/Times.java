package io.argosy.api.protobuf;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Times and durations as the API writes them in JSON. */
final class Times {
    private static final DateTimeFormatter MICRO =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private Times() {}

    static String micro(Instant instant) {
        return MICRO.format(instant);
    }

    /** As Go prints durations: {@code 1h0m5s}, {@code 1.5s}. */
    static String duration(Duration duration) {
        if (duration.isNegative()) {
            return "-" + duration(duration.negated());
        }
        StringBuilder text = new StringBuilder();
        if (duration.toHours() > 0) {
            text.append(duration.toHours()).append('h');
        }
        if (duration.toMinutes() > 0) {
            text.append(duration.toMinutesPart()).append('m');
        }
        text.append(duration.toSecondsPart());
        if (duration.toNanosPart() > 0) {
            text.append('.').append(("%09d".formatted(duration.toNanosPart())).replaceAll("0+$", ""));
        }
        return text.append('s').toString();
    }
}
