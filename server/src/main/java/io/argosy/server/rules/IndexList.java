package io.argosy.server.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Indexes of a job in the short form of {@code 1,3-5,7}. */
final class IndexList {
    private IndexList() {}

    /** What is wrong with a list. */
    static final class MalformedException extends Exception {
        private static final long serialVersionUID = 1L;

        private MalformedException(String message) {
            super(message);
        }
    }

    /** From one index to another, both of them included. */
    private record Interval(long from, long to) {}

    /** How many indexes the list names, of those below the number of completions. */
    static long count(String list, long completions) throws MalformedException {
        long total = 0;
        long last = -1;
        boolean first = true;
        for (String text : intervals(list)) {
            Interval interval = interval(text, completions);
            if (!first && last >= interval.from()) {
                throw disorder(last, interval.from());
            }
            first = false;
            total += interval.to() - interval.from() + 1;
            last = interval.to();
        }
        return total;
    }

    /** The first index that is found in both lists; what cannot be read of them is left out. */
    static OptionalLong overlap(String one, String other, long completions) {
        List<Interval> ours = readable(one, completions);
        List<Interval> theirs = readable(other, completions);
        int i = 0;
        int j = 0;
        while (i < ours.size() && j < theirs.size()) {
            Interval mine = ours.get(i);
            Interval his = theirs.get(j);
            if (mine.from() <= his.to() && his.from() <= mine.to()) {
                return OptionalLong.of(Math.max(mine.from(), his.from()));
            }
            if (mine.from() <= his.from()) {
                i++;
            } else {
                j++;
            }
        }
        return OptionalLong.empty();
    }

    private static List<Interval> readable(String list, long completions) {
        List<Interval> readable = new ArrayList<>();
        for (String text : intervals(list)) {
            try {
                readable.add(interval(text, completions));
            } catch (MalformedException unreadable) {
                // whoever checks the form says so
            }
        }
        return readable;
    }

    private static String[] intervals(String list) {
        return list.isEmpty() ? new String[0] : list.split(",", -1);
    }

    private static Interval interval(String text, long completions) throws MalformedException {
        String[] ends = text.split("-", -1);
        if (ends.length > 2) {
            throw new MalformedException("the fragment \"" + text
                    + "\" violates the requirement that an index interval can have at most two parts separated by '-'");
        }
        long from = index(ends[0], completions);
        long to = ends.length > 1 ? index(ends[1], completions) : from;
        if (ends.length > 1 && from >= to) {
            throw disorder(from, to);
        }
        return new Interval(from, to);
    }

    private static long index(String text, long completions) throws MalformedException {
        long index;
        try {
            index = Long.parseLong(text);
        } catch (NumberFormatException notANumber) {
            throw new MalformedException("cannot convert string to integer for index: \"" + text + "\"");
        }
        if (index >= completions) {
            throw new MalformedException("too large index: \"" + text + "\"");
        }
        return index;
    }

    private static MalformedException disorder(long previous, long current) {
        return new MalformedException("non-increasing order, previous: " + previous + ", current: " + current);
    }
}
