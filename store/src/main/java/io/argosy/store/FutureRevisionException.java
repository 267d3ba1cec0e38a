package io.argosy.store;

/** The revision asked for is not there yet. */
public final class FutureRevisionException extends StoreException {
    private final long currentRevision;

    public FutureRevisionException(long revision, long currentRevision) {
        super(
                Reason.FUTURE_REVISION,
                "revision " + revision + " is not there yet; the newest one is " + currentRevision,
                null);
        this.currentRevision = currentRevision;
    }

    public long currentRevision() {
        return currentRevision;
    }
}
