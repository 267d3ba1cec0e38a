package io.argosy.operators.etcd;

/** A member did not answer, or not as asked. */
public final class EtcdException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public EtcdException(String message, Throwable cause) {
        super(message, cause);
    }

    public EtcdException(String message) {
        super(message);
    }
}
