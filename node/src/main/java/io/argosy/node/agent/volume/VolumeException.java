package io.argosy.node.agent.volume;

/** A volume cannot be made ready; the message is fit for a FailedMount event. */
public final class VolumeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean complete;

    public VolumeException(String message) {
        this(message, null, false);
    }

    public VolumeException(String message, Throwable cause) {
        this(message, cause, false);
    }

    private VolumeException(String message, Throwable cause, boolean complete) {
        super(message, cause);
        this.complete = complete;
    }

    /** The message is the whole event, and names the volume already. */
    static VolumeException whole(String message, Throwable cause) {
        return new VolumeException(message, cause, true);
    }

    /** A volume of the pod could not even be looked at, in the words of who waits for all of them. */
    static VolumeException unprocessed(String volume, String why) {
        String list = "=[" + volume + "]";
        return whole(
                "Unable to attach or mount volumes: unmounted volumes" + list
                        + ", unattached volumes=[], failed to process volumes" + list + ": " + why,
                null);
    }

    boolean isWhole() {
        return complete;
    }
}
