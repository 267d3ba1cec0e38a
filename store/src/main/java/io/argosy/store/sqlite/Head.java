package io.argosy.store.sqlite;

/** How far the log has got, and how far back it reaches: written by the writer alone, read by everyone. */
final class Head {
    volatile long newest;
    volatile long compacted;

    Head(long newest, long compacted) {
        this.newest = newest;
        this.compacted = compacted;
    }
}
