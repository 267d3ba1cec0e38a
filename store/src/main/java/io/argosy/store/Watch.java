package io.argosy.store;

/** A running watch. */
public interface Watch extends AutoCloseable {
    /** Ends the watch. A call to the listener that is under way may still finish; none follows it. */
    @Override
    void close();
}
