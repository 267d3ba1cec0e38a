package io.argosy.server.rules;

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

    /** How many indexes the list names, of those below the number of completions. */
    static long count(String list, long completions) throws MalformedException {
        long total = 0;
        long last = -1;
        boolean first = true;
        for (String interval : list.isEmpty() ? new String[0] : list.split(",", -1)) {
            String[] ends = interval.split("-", -1);
            if (ends.length > 2) {
                throw new MalformedException(
                        "the fragment \"" + interval
                                + "\" violates the requirement that an index interval can have at most two parts separated by '-'");
            }
            long from = index(ends[0], completions);
            long to = ends.length > 1 ? index(ends[1], completions) : from;
            if (ends.length > 1 && from >= to) {
                throw disorder(from, to);
            }
            if (!first && last >= from) {
                throw disorder(last, from);
            }
            first = false;
            total += to - from + 1;
            last = to;
        }
        return total;
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
