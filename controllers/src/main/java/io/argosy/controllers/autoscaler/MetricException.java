package io.argosy.controllers.autoscaler;

/** A metric from which no number of pods can be reckoned; the message says why, in the words of Kubernetes. */
final class MetricException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Becomes the reason of condition and event. */
    private final String reason;

    MetricException(String reason, String message) {
        super(message);
        this.reason = reason;
    }

    String reason() {
        return reason;
    }
}
