package io.argosy.server.table;

import java.util.List;

/** A list that shows its first elements and says how many more there are. */
final class ShortList {
    private static final int SHOWN = 3;

    private ShortList() {}

    /** {@code a,b,c + 2 more...}, or what to show for an empty list. */
    static String of(List<String> elements, String empty) {
        if (elements.isEmpty()) {
            return empty;
        }
        return of(elements, ",", SHOWN);
    }

    static String of(List<String> elements, String separator, int shown) {
        if (elements.size() <= shown) {
            return String.join(separator, elements);
        }
        return String.join(separator, elements.subList(0, shown)) + " + " + (elements.size() - shown) + " more...";
    }
}
