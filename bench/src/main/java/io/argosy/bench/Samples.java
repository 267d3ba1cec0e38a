package io.argosy.bench;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;

/** Durations in nanoseconds, in order, to take medians and percentiles from. */
public record Samples(long[] sorted) {
    public static Samples of(long... nanos) {
        long[] copy = nanos.clone();
        Arrays.sort(copy);
        return new Samples(copy);
    }

    public long median() {
        return percentile(50);
    }

    /** The smallest sample that so many percent of all do not exceed. */
    public long percentile(double percent) {
        if (sorted.length == 0) {
            throw new IllegalStateException("nothing was measured");
        }
        int rank = (int) Math.ceil(percent / 100 * sorted.length);
        return sorted[Math.clamp(rank - 1L, 0, sorted.length - 1)];
    }

    /** Median and range, for a handful of runs. */
    public String spread() {
        return seconds(median()) + " (" + seconds(sorted[0]) + " to " + seconds(sorted[sorted.length - 1]) + ")";
    }

    /** For many requests. */
    public String percentiles() {
        return "p50 " + millis(percentile(50)) + ", p99 " + millis(percentile(99));
    }

    static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.2f s", nanos / 1e9);
    }

    static String seconds(Duration duration) {
        return seconds(duration.toNanos());
    }

    static String millis(long nanos) {
        return String.format(Locale.ROOT, nanos < 10_000_000 ? "%.2f ms" : "%.0f ms", nanos / 1e6);
    }
}
