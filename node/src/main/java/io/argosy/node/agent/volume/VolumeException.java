package io.argosy.node.agent.volume;

/** A volume cannot be made ready; the message is fit for a FailedMount event. */
public final class VolumeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public VolumeException(String message) {
        super(message);
    }

    public VolumeException(String message, Throwable cause) {
        super(message, cause);
    }
}
