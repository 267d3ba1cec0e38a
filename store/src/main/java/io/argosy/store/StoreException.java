package io.argosy.store;

/** The store cannot do its work; the message is one sentence for the person who can help. */
public class StoreException extends RuntimeException {
    /** What is wrong, for code that must tell the cases apart. */
    public enum Reason {
        /** Another process has the store open. */
        IN_USE,
        /** The stored data is damaged or not ours. */
        CORRUPT,
        /** A newer version wrote the stored data. */
        NEWER_VERSION,
        /** The disk is full: writes fail until there is room. */
        NO_SPACE,
        NO_PERMISSION,
        NOT_A_FOLDER,
        /** The revision asked for is compacted. */
        COMPACTED,
        /** The revision asked for is not there yet. */
        FUTURE_REVISION,
        CLOSED,
        /** Any other failure of the disk or the database; trying again may help. */
        UNAVAILABLE
    }

    private final Reason reason;

    public StoreException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
