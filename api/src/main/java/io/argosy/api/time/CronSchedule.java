package io.argosy.api.time;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A cron line of five fields, or one of the words for common ones, with the rules that Kubernetes' users rely on: a restricted day of
 * the month and a restricted day of the week are alternatives; an hour that daylight saving leaves out does not happen, and one that
 * it repeats happens twice. A library was looked at and not taken; see docs/decisions.
 */
public final class CronSchedule {
    private static final Map<String, String> WORDS = Map.of(
            "@yearly", "0 0 1 1 *",
            "@annually", "0 0 1 1 *",
            "@monthly", "0 0 1 * *",
            "@weekly", "0 0 * * 0",
            "@daily", "0 0 * * *",
            "@midnight", "0 0 * * *",
            "@hourly", "0 * * * *");
    private static final List<String> MONTHS =
            List.of("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec");
    private static final List<String> DAYS = List.of("sun", "mon", "tue", "wed", "thu", "fri", "sat");
    private static final int SEARCH_YEARS = 5;

    /** What fits into Go's count of nanoseconds. */
    private static final double LONGEST_DURATION = Long.MAX_VALUE / 1e9;

    private static final Pattern GO_DURATION = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)(h|ms|m|s|us|µs|ns)");

    /** The numbers that a field may have, and whether it was left open. */
    private record Field(long bits, boolean open) {
        boolean has(int number) {
            return (bits >> number & 1) == 1;
        }
    }

    private final Duration every;
    private final Field minutes;
    private final Field hours;
    private final Field daysOfMonth;
    private final Field months;
    private final Field daysOfWeek;

    private CronSchedule(Duration every) {
        this.every = every;
        minutes = hours = daysOfMonth = months = daysOfWeek = null;
    }

    private CronSchedule(String[] fields) {
        every = null;
        minutes = field(fields[0], 0, 59, List.of());
        hours = field(fields[1], 0, 23, List.of());
        daysOfMonth = field(fields[2], 1, 31, List.of());
        months = field(fields[3], 1, 12, MONTHS);
        daysOfWeek = field(fields[4], 0, 6, DAYS);
    }

    /** Reads a schedule; says what is wrong with one that cannot be read. */
    public static CronSchedule parse(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("empty spec string");
        }
        if (text.startsWith("@every ")) {
            return new CronSchedule(duration(text, text.substring("@every ".length())));
        }
        if (text.startsWith("@")) {
            String line = WORDS.get(text);
            if (line == null) {
                throw new IllegalArgumentException("unrecognized descriptor: " + text);
            }
            return new CronSchedule(line.split(" "));
        }
        String[] fields = text.strip().split("\\s+");
        if (fields.length != 5) {
            throw new IllegalArgumentException(
                    "expected exactly 5 fields, found " + fields.length + ": [" + String.join(" ", fields) + "]");
        }
        return new CronSchedule(fields);
    }

    /** The first time after the given one; empty when there is none within five years, such as on a 30th of February. */
    public Optional<Instant> next(Instant after, ZoneId zone) {
        if (every != null) {
            return Optional.of(after.truncatedTo(ChronoUnit.SECONDS).plus(every));
        }
        ZonedDateTime time = after.atZone(zone).truncatedTo(ChronoUnit.MINUTES).plusMinutes(1);
        int lastYear = time.getYear() + SEARCH_YEARS;
        while (time.getYear() <= lastYear) {
            if (!months.has(time.getMonthValue())) {
                time = time.toLocalDate().withDayOfMonth(1).plusMonths(1).atStartOfDay(zone);
            } else if (!isDay(time)) {
                time = time.toLocalDate().plusDays(1).atStartOfDay(zone);
            } else if (!hours.has(time.getHour())) {
                time = time.truncatedTo(ChronoUnit.HOURS).plusHours(1);
            } else if (!minutes.has(time.getMinute())) {
                time = time.plusMinutes(1);
            } else {
                return Optional.of(time.toInstant());
            }
        }
        return Optional.empty();
    }

    private boolean isDay(ZonedDateTime time) {
        boolean inMonth = daysOfMonth.has(time.getDayOfMonth());
        boolean inWeek = daysOfWeek.has(time.getDayOfWeek().getValue() % 7);
        return daysOfMonth.open || daysOfWeek.open ? inMonth && inWeek : inMonth || inWeek;
    }

    private static Field field(String text, int min, int max, List<String> names) {
        long bits = 0;
        boolean open = false;
        for (String part : text.split(",")) {
            Field range = range(part, min, max, names);
            bits |= range.bits;
            open |= range.open;
        }
        return new Field(bits, open);
    }

    private static Field range(String text, int min, int max, List<String> names) {
        String[] rangeAndStep = text.split("/", -1);
        String[] ends = rangeAndStep[0].split("-", -1);
        if (rangeAndStep.length > 2) {
            throw new IllegalArgumentException("too many slashes: " + text);
        }
        if (ends.length > 2) {
            throw new IllegalArgumentException("too many hyphens: " + text);
        }
        boolean star = ends[0].equals("*") || ends[0].equals("?");
        int first = star ? min : number(ends[0], min, names);
        int last = star ? max : ends.length == 2 ? number(ends[1], min, names) : first;
        int step = 1;
        if (rangeAndStep.length == 2) {
            step = number(rangeAndStep[1], 0, List.of());
            last = ends.length == 1 ? max : last;
        }
        if (first < min) {
            throw new IllegalArgumentException(
                    "beginning of range (" + first + ") below minimum (" + min + "): " + text);
        }
        if (last > max) {
            throw new IllegalArgumentException("end of range (" + last + ") above maximum (" + max + "): " + text);
        }
        if (first > last) {
            throw new IllegalArgumentException(
                    "beginning of range (" + first + ") beyond end of range (" + last + "): " + text);
        }
        if (step == 0) {
            throw new IllegalArgumentException("step of range should be a positive number: " + text);
        }
        long bits = 0;
        for (int i = first; i <= last; i += step) {
            bits |= 1L << i;
        }
        return new Field(bits, star && step == 1);
    }

    private static int number(String text, int min, List<String> names) {
        int named = names.indexOf(text.toLowerCase(Locale.ROOT));
        if (named >= 0) {
            return named + min;
        }
        if (!text.matches("\\+?[0-9]{1,9}")) {
            throw new IllegalArgumentException(
                    text.matches("-[0-9]+")
                            ? "negative number (" + text + ") not allowed: " + text
                            : "failed to parse int from " + text + ": strconv.Atoi: parsing \"" + text
                                    + "\": invalid syntax");
        }
        return Integer.parseInt(text);
    }

    /** A duration as Go writes it; shorter than a second is a second, and parts of one are dropped. */
    private static Duration duration(String line, String text) {
        Matcher part = GO_DURATION.matcher(text);
        double seconds = 0;
        int end = 0;
        while (part.lookingAt() || (end < text.length() && part.find(end) && part.start() == end)) {
            double number = Double.parseDouble(part.group(1));
            seconds += switch (part.group(2)) {
                case "h" -> number * 3600;
                case "m" -> number * 60;
                case "s" -> number;
                case "ms" -> number / 1e3;
                case "ns" -> number / 1e9;
                default -> number / 1e6;
            };
            end = part.end();
            part.region(end, text.length());
        }
        if (end == 0 || end != text.length() || seconds > LONGEST_DURATION) {
            throw new IllegalArgumentException(
                    "failed to parse duration " + line + ": time: invalid duration \"" + text + "\"");
        }
        return Duration.ofSeconds(Math.max(1, (long) seconds));
    }
}
