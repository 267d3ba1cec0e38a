package io.argosy.api.kinds;

/** What is unusual about the writes of a resource, seen by its clients. */
public enum WriteHabit {
    /** A PUT to a name that is not there creates the object. */
    PUT_CREATE,
    /** A PUT must name the version that it changes: the last writer does not simply win. */
    PUT_VERSIONED,
    /** A deletion is answered with the object, also when it is gone at once. */
    DELETE_OBJECT,
    /** A deletion leaves the dependents where they are, unless the client says otherwise. */
    DELETE_ORPHAN,
    /** A deletion concerns the object alone, whatever the client says of dependents. */
    DELETE_ALONE
}
