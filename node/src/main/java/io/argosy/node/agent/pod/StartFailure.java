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

    /** Whether it is the image that is missing. */
    boolean isOfImage() {
        return reason.startsWith("ErrImage") || reason.equals("InvalidImageName");
    }

    /** Whether somebody else was asked in vain, who must not be asked ever again at short intervals. */
    boolean isOfRegistry() {
        return reason.equals("ErrImagePull");
    }
}
