package io.argosy.server.cel;

import java.time.Duration;
import java.util.List;

/** What rules ask of lists as a whole. */
final class ListFunctions {
    private ListFunctions() {}

    static boolean isSorted(List<?> list) {
        for (int i = 1; i < list.size(); i++) {
            if (compare(list.get(i - 1), list.get(i)) > 0) {
                return false;
            }
        }
        return true;
    }

    /** The least (-1) or the greatest (1). */
    static Object extreme(List<?> list, int sign) {
        if (list.isEmpty()) {
            throw new IllegalArgumentException((sign < 0 ? "min" : "max") + " called on empty list");
        }
        Object found = list.getFirst();
        for (Object one : list) {
            found = compare(one, found) * sign > 0 ? one : found;
        }
        return found;
    }

    static Object sum(List<?> list) {
        if (!list.isEmpty() && list.getFirst() instanceof Double) {
            double sum = 0;
            for (Object one : list) {
                sum += ((Number) one).doubleValue();
            }
            return sum;
        }
        if (!list.isEmpty() && list.getFirst() instanceof Duration) {
            Duration sum = Duration.ZERO;
            for (Object one : list) {
                sum = sum.plus((Duration) one);
            }
            return sum;
        }
        long sum = 0;
        for (Object one : list) {
            sum = Math.addExact(sum, ((Number) one).longValue());
        }
        return sum;
    }

    @SuppressWarnings("unchecked") // the checker has seen that they are of one type
    static int compare(Object one, Object other) {
        if (one instanceof Comparable<?> comparable) {
            return ((Comparable<Object>) comparable).compareTo(other);
        }
        throw new IllegalArgumentException("no such overload");
    }
}
