package io.argosy.store.etcd;

import io.argosy.store.Entry;
import io.argosy.store.Event;
import io.argosy.store.ValueForm;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.watch.WatchEvent;
import java.nio.charset.StandardCharsets;

/** Turns what etcd says into entries and events. */
record Entries(ValueForm form) {
    /** As the key and the end of a range: all keys there are. */
    static final ByteSequence ALL = ByteSequence.from(new byte[] {0});

    static ByteSequence bytes(String key) {
        return ByteSequence.from(key, StandardCharsets.UTF_8);
    }

    /** Where a list starts: at the prefix, or at the first key that can follow another. */
    static ByteSequence begin(String prefix, String afterKey) {
        if (!afterKey.isEmpty()) {
            return bytes(afterKey + "\0");
        }
        return prefix.isEmpty() ? ALL : bytes(prefix);
    }

    /** The first key that does not start with the prefix: no byte of UTF-8 is 0xff. */
    static ByteSequence end(String prefix) {
        if (prefix.isEmpty()) {
            return ALL;
        }
        byte[] start = prefix.getBytes(StandardCharsets.UTF_8);
        start[start.length - 1]++;
        return ByteSequence.from(start);
    }

    Entry entry(KeyValue pair) {
        String key = pair.getKey().toString(StandardCharsets.UTF_8);
        return new Entry(
                key, form.fromStored(key, pair.getValue().getBytes()), pair.getCreateRevision(), pair.getModRevision());
    }

    /** True where compaction has taken what was there before, so that nobody can be told what changed. */
    static boolean isTorn(WatchEvent event) {
        boolean followed = event.getEventType() == WatchEvent.EventType.DELETE
                || event.getKeyValue().getVersion() > 1;
        return followed && event.getPrevKV().getModRevision() == 0;
    }

    Event event(WatchEvent event) {
        Entry previous = event.getPrevKV().getModRevision() == 0 ? null : entry(event.getPrevKV());
        return event.getEventType() == WatchEvent.EventType.DELETE
                ? Event.delete(previous, event.getKeyValue().getModRevision())
                : Event.put(entry(event.getKeyValue()), previous);
    }
}
