package io.argosy.server.authn;

/** Says why a token is no proof of anything. */
public final class InvalidTokenException extends Exception {
    private static final long serialVersionUID = 1L;

    public InvalidTokenException(String why) {
        super(why, null, false, false);
    }
}
