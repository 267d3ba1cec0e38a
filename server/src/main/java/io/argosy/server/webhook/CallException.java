package io.argosy.server.webhook;

/** A webhook could not be asked, or gave no answer that can be used; the message says why, in the words administrators search for. */
public final class CallException extends Exception {
    private static final long serialVersionUID = 1L;

    public CallException(String message) {
        super(message, null, false, false);
    }
}
