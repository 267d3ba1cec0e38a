package io.argosy.api.protobuf;

import io.argosy.api.schema.Field;
import io.argosy.api.schema.Schema;
import io.argosy.api.schema.ValueType;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Times and durations as the API writes them in JSON. */
final class Times {
    private static final DateTimeFormatter MICRO =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private static final Pattern PART = Pattern.compile("(\\d+(?:\\.\\d*)?|\\.\\d+)(ns|us|µs|ms|s|m|h)");

    private static final Map<String, Long> UNITS = Map.of(
            "ns", 1L,
            "us", 1_000L,
            "µs", 1_000L,
            "ms", 1_000_000L,
            "s", 1_000_000_000L,
            "m", 60_000_000_000L,
            "h", 3_600_000_000_000L);

    /** Times that are no pointers upstream: one that is not set is an empty message on the wire, and null in JSON. */
    private static final Set<String> NEVER_ABSENT = Set.of(
            "lastProbeTime",
            "lastTransitionTime",
            "lastHeartbeatTime",
            "lastUpdateTime",
            "eventTime",
            "firstTimestamp",
            "lastTimestamp",
            "deprecatedFirstTimestamp",
            "deprecatedLastTimestamp",
            "lastObservedTime",
            "startedAt",
            "finishedAt");

    private Times() {}

    static boolean isNeverAbsent(Field field) {
        return NEVER_ABSENT.contains(field.name())
                && field.type() instanceof ValueType.Ref ref
                && (ref.schema().form() == Schema.Form.TIME || ref.schema().form() == Schema.Form.MICRO_TIME);
    }

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

    /** The nanoseconds of a duration in that form: numbers with units, one after the other. */
    static long nanos(String text) {
        boolean negative = text.startsWith("-");
        Matcher part = PART.matcher(negative || text.startsWith("+") ? text.substring(1) : text);
        BigDecimal sum = BigDecimal.ZERO;
        while (part.lookingAt()) {
            sum = sum.add(new BigDecimal(part.group(1)).multiply(BigDecimal.valueOf(UNITS.get(part.group(2)))));
            part.region(part.end(), part.regionEnd());
        }
        if (part.regionStart() < part.regionEnd() && !text.equals("0")) {
            throw new IllegalArgumentException(text + " is not a duration");
        }
        return negative ? -sum.longValue() : sum.longValue();
    }
}
