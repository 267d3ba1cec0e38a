package io.argosy.server.cel;

import java.util.ArrayDeque;
import java.util.Deque;

/** How often the innermost part of a regular expression is repeated by counts around it. */
final class Repetition {
    static final int MOST = 1000;

    private final String pattern;
    private int at;

    private Repetition(String pattern) {
        this.pattern = pattern;
    }

    /** The largest product of counts within each other; at least one. */
    static long of(String pattern) {
        return new Repetition(pattern).largest();
    }

    private long largest() {
        Deque<Long> open = new ArrayDeque<>();
        long inGroup = 1;
        while (at < pattern.length()) {
            char letter = pattern.charAt(at++);
            long atom = 1;
            switch (letter) {
                case '\\' -> escape();
                case '[' -> characterClass();
                case '(' -> {
                    open.push(inGroup);
                    inGroup = 1;
                    continue;
                }
                case ')' -> {
                    atom = inGroup;
                    inGroup = open.isEmpty() ? 1 : open.pop();
                }
                default -> {
                    // stands for itself
                }
            }
            inGroup = Math.max(inGroup, atom * count());
        }
        return inGroup;
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
        at += pattern.startsWith("^", at) ? 2 : 1; // a bracket in the first place stands for itself
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
