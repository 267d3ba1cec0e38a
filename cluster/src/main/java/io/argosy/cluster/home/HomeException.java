package io.argosy.cluster.home;

/** Why Argosy cannot use its home or start from it; the message is one sentence for the user. */
public final class HomeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public HomeException(String message) {
        super(message);
    }

    public HomeException(String message, Throwable cause) {
        super(message, cause);
    }
}
