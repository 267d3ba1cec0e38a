package io.argosy.server.audit;

/** Where a request is when something is written of it. */
public enum Stage {
    RequestReceived,
    /** The answer has begun and goes on for a while, as those of watches do. */
    ResponseStarted,
    ResponseComplete,
    /** The server failed. */
    Panic
}
