package io.argosy.server.cache;

/**
 * What one write did to one object.
 *
 * @param current the object after the write; for a deletion, its last state stamped with the deletion's revision
 * @param previous the object before the write; null if the write created it
 */
public record Change(CachedObject current, CachedObject previous, boolean deleted) {
    public long revision() {
        return current.revision();
    }

    /** The object as somebody saw it last whose selection it has left, under the revision at which it left. */
    public CachedObject departed() {
        byte[] json = ResourceVersions.restamp(previous.json(), previous.revision(), revision());
        return new CachedObject(
                previous.key(),
                previous.namespace(),
                previous.name(),
                json,
                revision(),
                previous.labels(),
                previous.fields());
    }
}
