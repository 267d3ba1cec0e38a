package io.argosy.operators.snapshot;

/** Why a snapshot cannot be taken, kept or used: a word for programs, and a sentence that says what to do. */
public final class SnapshotException extends Exception {
    private static final long serialVersionUID = 1;

    private final String reason;

    public SnapshotException(String reason, String message) {
        super(message);
        this.reason = reason;
    }

    public SnapshotException(String reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    public String reason() {
        return reason;
    }
}
