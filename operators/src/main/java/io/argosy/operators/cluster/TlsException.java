package io.argosy.operators.cluster;

/** Certificates that cannot be used; the message says which and what to do. */
final class TlsException extends Exception {
    private static final long serialVersionUID = 1;

    TlsException(String message) {
        super(message);
    }
}
