package io.argosy.server.webhook;

/** A webhook could not be asked, or gave no answer that can be used; the message says why, in the words administrators search for. */
public final class CallException extends Exception {
    static final String TIMED_OUT = "context deadline exceeded";

    private static final long serialVersionUID = 1L;
    private final boolean attempted;

    public CallException(String message) {
        this(message, true);
    }

    private CallException(String message, boolean attempted) {
        super(message, null, false, false);
        this.attempted = attempted;
    }

    /** What is said of the webhook is not enough to call it. */
    static CallException unattempted(String message) {
        return new CallException(message, false);
    }

    /** Whether there was no answer in time. */
    public boolean isLate() {
        return getMessage().endsWith(TIMED_OUT);
    }

    boolean attempted() {
        return attempted;
    }
}
