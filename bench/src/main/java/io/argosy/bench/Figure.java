package io.argosy.bench;

import java.util.Locale;

/**
 * What was measured, as people read it, with the number in it by which one server is compared with another.
 *
 * @param by says which number that is, where the text has several; empty where it is plain
 */
record Figure(String text, double number, Kind kind, String by) {
    /** What the number counts, and so what a good one is. */
    enum Kind {
        PER_SECOND,
        NANOSECONDS,
        KILOBYTES
    }

    static Figure perSecond(double number, String text) {
        return new Figure(text, number, Kind.PER_SECOND, "");
    }

    static Figure time(long nanos, String text, String by) {
        return new Figure(text, nanos, Kind.NANOSECONDS, by);
    }

    static Figure memory(long kilobytes, String text) {
        return new Figure(text, kilobytes, Kind.KILOBYTES, "");
    }

    /** How this one stands to another of the same kind: how many times as fast, or how much of its memory. */
    String against(Figure other) {
        double ratio = switch (kind) {
            case PER_SECOND, KILOBYTES -> number / other.number;
            case NANOSECONDS -> other.number / number;
        };
        String words = String.format(
                Locale.ROOT,
                kind == Kind.KILOBYTES
                        ? "%.2f of the memory"
                        : ratio < 10 ? "%.1f times as fast" : "%.0f times as fast",
                ratio);
        return by.isEmpty() ? words : words + " (" + by + ")";
    }
}
