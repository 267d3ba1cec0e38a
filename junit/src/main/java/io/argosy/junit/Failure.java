package io.argosy.junit;

/** What becomes of a write that fails, and what whoever sent it hears. */
public enum Failure {
    /** The server broke down over it, and nothing was written: 500. */
    INTERNAL_ERROR,
    /** The server had too much to do, and nothing was written: 429. */
    TOO_MANY_REQUESTS,
    /** Nobody answered in time, and nothing was written: 504. */
    TIMEOUT,
    /** Nobody answered in time, though it was written: 504. */
    LOST_ANSWER
}
