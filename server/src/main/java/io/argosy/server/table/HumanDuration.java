package io.argosy.server.table;

import java.time.Duration;

/** Durations as ages are shown: two or three significant figures, such as {@code 5d3h}, {@code 8m20s} or {@code 400d}. */
final class HumanDuration {
    private static final long DAYS_A_YEAR = 365;

    private HumanDuration() {}

    static String of(Duration duration) {
        // whole seconds towards zero, so that clocks that differ by less than two seconds never show
        long seconds = duration.toMillis() / 1000;
        if (seconds < -1) {
            return "<invalid>";
        }
        if (seconds < 0) {
            return "0s";
        }
        if (seconds < 120) {
            return seconds + "s";
        }
        long minutes = seconds / 60;
        if (minutes < 10) {
            return two(minutes, "m", seconds % 60, "s");
        }
        if (minutes < 180) {
            return minutes + "m";
        }
        return hours(minutes / 60, minutes % 60);
    }

    private static String hours(long hours, long minutes) {
        long days = hours / 24;
        if (hours < 8) {
            return two(hours, "h", minutes, "m");
        }
        if (hours < 48) {
            return hours + "h";
        }
        if (days < 8) {
            return two(days, "d", hours % 24, "h");
        }
        if (days < 2 * DAYS_A_YEAR) {
            return days + "d";
        }
        long years = days / DAYS_A_YEAR;
        return years < 8 ? two(years, "y", days % DAYS_A_YEAR, "d") : years + "y";
    }

    private static String two(long large, String largeUnit, long small, String smallUnit) {
        return large + largeUnit + (small == 0 ? "" : small + smallUnit);
    }
}
