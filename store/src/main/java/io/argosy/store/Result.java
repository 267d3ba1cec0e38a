package io.argosy.store;

/** What became of a write: it was committed, or the key was not as the writer expected. */
public sealed interface Result {
    /**
     * The write is durable.
     *
     * @param previous what the key was before; null if it was not there
     */
    record Committed(long revision, Entry previous) implements Result {}

    /**
     * Nothing was written.
     *
     * @param current what the key is instead; null if it is not there
     */
    record Conflict(Entry current) implements Result {}
}
