package io.argosy.node.runtime;

/** A runtime call that could not be done, with the kind of failure that decides what the caller does next. */
public final class RuntimeFailure extends RuntimeException {

    /** What sort of failure it is. */
    public enum Kind {
        /** The sandbox or container is not known here. */
        NOT_FOUND,
        /** What was asked for can never work, such as a user that the image does not have. */
        INVALID,
        /** The sandbox or container is not in the state the call needs. */
        WRONG_STATE,
        /** It did not end in time. */
        TIMEOUT,
        /** Everything else; trying again may help. */
        FAILED
    }

    private final Kind kind;

    public RuntimeFailure(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public RuntimeFailure(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
