package io.argosy.store;

/**
 * One write as a watcher sees it.
 *
 * @param current what the key is now; null after a delete
 * @param previous what the key was before; null when the write created it
 */
public record Event(Type type, String key, Entry current, Entry previous, long revision) {
    /** Whether the key is there after the write. */
    public enum Type {
        PUT,
        DELETE
    }

    public static Event put(Entry current, Entry previous) {
        return new Event(Type.PUT, current.key(), current, previous, current.modRevision());
    }

    public static Event delete(Entry previous, long revision) {
        return new Event(Type.DELETE, previous.key(), null, previous, revision);
    }
}
