package io.argosy.server.cel;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/** How large a regular expression becomes when the counts in it are written out. */
final class Repetition {
    private static final int MOST_TIMES = 1000;
    private static final int MOST_LETTERS = 100_000;
    private static final int DEEPEST = 1000;

    private final String pattern;
    private int at;

    /** How often the innermost part is repeated by counts around it, how many letters there are then, and how deep groups are in each other. */
    private Group whole = new Group(1, 0);

    private int depth;

    private record Group(long times, double letters) {}

    private Repetition(String pattern) {
        this.pattern = pattern;
    }

    /** The largest product of counts within each other; at least one. */
    static long of(String pattern) {
        return read(pattern).whole.times();
    }

    /** How many letters there are in it. */
    static double letters(String pattern) {
        return read(pattern).whole.letters();
    }

    /** In which way the pattern is too large to be used, in Go's words; empty if it is not. */
    static Optional<String> excess(String pattern) {
        Repetition read = read(pattern);
        if (read.depth > DEEPEST) {
            return Optional.of("expression nests too deeply");
        }
        if (read.whole.times() > MOST_TIMES) {
            return Optional.of("invalid repeat count");
        }
        return read.whole.letters() > MOST_LETTERS ? Optional.of("expression too large") : Optional.empty();
    }

    private static Repetition read(String pattern) {
        Repetition repetition = new Repetition(pattern);
        repetition.read();
        return repetition;
    }

    private void read() {
        Deque<Group> open = new ArrayDeque<>();
        while (at < pattern.length()) {
            char letter = pattern.charAt(at++);
            Group atom = new Group(1, 1);
            switch (letter) {
                case '\\' -> escape();
                case '[' -> characterClass();
                case '(' -> {
                    open.push(whole);
                    depth = Math.max(depth, open.size());
                    whole = new Group(1, 1);
                    continue;
                }
                case ')' -> {
                    atom = whole;
                    whole = open.isEmpty() ? new Group(1, 0) : open.pop();
                }
                default -> {
                    // stands for itself
                }
            }
            long count = count();
            whole = new Group(Math.max(whole.times(), atom.times() * count), whole.letters() + atom.letters() * count);
        }
        while (!open.isEmpty()) {
            Group outer = open.pop(); // a group that is not closed is an error, which others tell
            whole = new Group(Math.max(outer.times(), whole.times()), outer.letters() + whole.letters());
        }
    }

    /** Goes past what a backslash begins: one letter, or all up to the end of a quotation. */
    private void escape() {
        if (pattern.startsWith("Q", at)) {
            int end = pattern.indexOf("\\E", at);
            at = end < 0 ? pattern.length() : end + 2;
        } else {
            at++;
        }
    }

    private void characterClass() {
        at += pattern.startsWith("^", at) ? 1 : 0;
        at += pattern.startsWith("]", at) ? 1 : 0; // a bracket in the first place stands for itself
        while (at < pattern.length() && pattern.charAt(at) != ']') {
            if (pattern.charAt(at) == '\\') {
                at++;
            } else if (pattern.startsWith("[:", at) && pattern.indexOf(":]", at) > 0) {
                at = pattern.indexOf(":]", at) + 1;
            }
            at++;
        }
        at++;
    }

    /** The larger number of {@code {n,m}} if that comes next; one if it does not. */
    private long count() {
        int end = pattern.indexOf('}', at);
        if (at >= pattern.length() || pattern.charAt(at) != '{' || end < 0) {
            return 1;
        }
        long largest = 1;
        for (String number : pattern.substring(at + 1, end).split(",", -1)) {
            if (!number.matches("[0-9]{0,9}")) {
                return 1; // then the brace stands for itself
            }
            largest = Math.max(largest, number.isEmpty() ? 1 : Long.parseLong(number));
        }
        at = end + 1;
        return largest;
    }
}
