package io.argosy.server.cache;

import java.util.Map;

/**
 * One revision of an object, ready to be sent: its final JSON, resourceVersion included, and the few facts that selectors ask for.
 * Made once, when the revision is committed, and shared by every reader and watcher.
 *
 * @param key the object's place below its resource: {@code namespace/name}, or {@code name} where there is no namespace
 */
@SuppressWarnings("ArrayRecordComponent") // the shared encoding; nobody changes it
public record CachedObject(
        String key,
        String namespace,
        String name,
        byte[] json,
        long revision,
        Map<String, String> labels,
        Map<String, String> fields) {
    @Override
    public boolean equals(Object other) {
        return other instanceof CachedObject that && revision == that.revision && key.equals(that.key);
    }

    @Override
    public int hashCode() {
        return key.hashCode() * 31 + Long.hashCode(revision);
    }

    @Override
    public String toString() {
        return key + "@" + revision;
    }
}
