package io.argosy.node.agent.pod;

/** A container could not be started: the reason and message it waits with. */
final class StartFailure extends Exception {
    private static final long serialVersionUID = 1L;

    private final String reason;

    StartFailure(String reason, String message) {
        super(message);
        this.reason = reason;
    }

    StartFailure(String reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    String reason() {
        return reason;
    }
}
