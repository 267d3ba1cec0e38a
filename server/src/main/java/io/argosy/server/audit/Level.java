package io.argosy.server.audit;

/** How much is written of a request; each level holds the one before. */
public enum Level {
    None,
    Metadata,
    Request,
    RequestResponse;

    boolean holds(Level other) {
        return compareTo(other) >= 0;
    }
}
