package io.argosy.operators.cluster;

/** A step that was not begun, since it would not have come to its end. */
final class HinderedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient Hindrance hindrance;

    HinderedException(Hindrance hindrance, Throwable cause) {
        super(hindrance.message(), cause);
        this.hindrance = hindrance;
    }

    Hindrance hindrance() {
        return hindrance;
    }
}
