package io.argosy.controllers.job;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** A set of completion indexes, in the form in which a Job's status writes it: {@code 0,2-4}. */
final class Indexes {
    private final BitSet bits = new BitSet();

    /** Reads the written form, leaving out what is not below the limit; what cannot be read counts as nothing. */
    static Indexes parse(String text, int limit) {
        Indexes indexes = new Indexes();
        if (text == null || !text.matches("[0-9]{1,9}(-[0-9]{1,9})?(,[0-9]{1,9}(-[0-9]{1,9})?)*")) {
            return indexes;
        }
        for (String part : text.split(",", -1)) {
            int dash = part.indexOf('-');
            int first = Integer.parseInt(dash < 0 ? part : part.substring(0, dash));
            int last = dash < 0 ? first : Integer.parseInt(part.substring(dash + 1));
            if (first < limit && first <= last) {
                indexes.bits.set(first, Math.min(last, limit - 1) + 1);
            }
        }
        return indexes;
    }

    void add(int index) {
        bits.set(index);
    }

    boolean contains(int index) {
        return bits.get(index);
    }

    int size() {
        return bits.cardinality();
    }

    int inCommon(Indexes other) {
        BitSet common = (BitSet) bits.clone();
        common.and(other.bits);
        return common.cardinality();
    }

    /** The lowest indexes below the limit that are not in the set. */
    List<Integer> missing(int count, int limit) {
        List<Integer> missing = new ArrayList<>();
        for (int i = bits.nextClearBit(0); i < limit && missing.size() < count; i = bits.nextClearBit(i + 1)) {
            missing.add(i);
        }
        return missing;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int first = bits.nextSetBit(0); first >= 0; first = bits.nextSetBit(first)) {
            int end = bits.nextClearBit(first);
            text.append(text.isEmpty() ? "" : ",").append(first);
            if (end - first == 2) {
                text.append(',').append(first + 1);
            } else if (end - first > 2) {
                text.append('-').append(end - 1);
            }
            first = end;
        }
        return text.toString();
    }
}
