package io.argosy.store;

/** The revision asked for lies before what the store still remembers: list again and watch from there. */
public final class CompactedException extends StoreException {
    private final long compactedRevision;

    public CompactedException(long revision, long compactedRevision) {
        super(
                Reason.COMPACTED,
                "revision " + revision + " is compacted; the oldest one still there is " + compactedRevision,
                null);
        this.compactedRevision = compactedRevision;
    }

    public long compactedRevision() {
        return compactedRevision;
    }
}
