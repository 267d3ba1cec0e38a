package io.argosy.node.agent.volume;

/** A volume cannot be made ready; reason and message are fit for an event. */
public final class VolumeException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final String MOUNT = "FailedMount";

    private final boolean complete;
    private final String reason;

    public VolumeException(String message) {
        this(message, null, false, MOUNT);
    }

    public VolumeException(String message, Throwable cause) {
        this(message, cause, false, MOUNT);
    }

    private VolumeException(String message, Throwable cause, boolean complete, String reason) {
        super(message, cause);
        this.complete = complete;
        this.reason = reason;
    }

    /** The message is the whole event, and names the volume already. */
    static VolumeException whole(String message, Throwable cause) {
        return new VolumeException(message, cause, true, MOUNT);
    }

    /** The volume is a device that cannot be given to the pod; the message is the whole event. */
    static VolumeException unmapped(String message) {
        return new VolumeException(message, null, true, "FailedMapVolume");
    }

    /** The event's reason. */
    public String reason() {
        return reason;
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
