package io.argosy.store;

import java.util.List;

/**
 * A part of a list, in key order.
 *
 * @param revision the revision it is consistent at; give it back to read the next page
 * @param remaining how many entries follow this page
 */
public record Page(List<Entry> entries, long revision, long remaining) {
    public Page {
        entries = List.copyOf(entries);
    }

    public boolean more() {
        return remaining > 0;
    }
}
