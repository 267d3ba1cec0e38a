package io.argosy.store.memory;

import io.argosy.store.CompactedException;
import io.argosy.store.Entry;
import io.argosy.store.Event;
import io.argosy.store.FutureRevisionException;
import io.argosy.store.ListOptions;
import io.argosy.store.Page;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a memory store keeps: every key with its versions, and the changes in order. It outlives the store that writes it, as a folder
 * outlives a database. Its methods are for one thread at a time; the store sees to that.
 */
public final class MemoryLog {
    /** As UTF-8 bytes would be ordered: by code point. */
    private static final Comparator<String> BY_CODE_POINT = MemoryLog::compare;

    private final TreeMap<String, List<Version>> keys = new TreeMap<>(BY_CODE_POINT);
    private final ArrayDeque<Event> changes = new ArrayDeque<>();
    private long revision = 1;
    private long compacted = 1;

    /** What a key was from that revision on; a null entry says that it was not there. */
    private record Version(long revision, Entry entry) {}

    long revision() {
        return revision;
    }

    long compactedRevision() {
        return compacted;
    }

    /** The newest version; null if there is none. */
    Entry get(String key) {
        List<Version> versions = keys.get(key);
        return versions == null ? null : versions.getLast().entry;
    }

    Page list(String prefix, ListOptions options) {
        if (!options.afterKey().isEmpty() && !options.afterKey().startsWith(prefix)) {
            throw new IllegalArgumentException(options.afterKey() + " is no key of the list of " + prefix);
        }
        long at = options.revision() == 0 ? revision : options.revision();
        if (at > revision) {
            throw new FutureRevisionException(at, revision);
        }
        if (at < compacted) {
            throw new CompactedException(at, compacted);
        }
        boolean goesOn = !options.afterKey().isEmpty();
        List<Entry> entries = new ArrayList<>();
        long remaining = 0;
        for (Map.Entry<String, List<Version>> key :
                keys.tailMap(goesOn ? options.afterKey() : prefix, !goesOn).entrySet()) {
            if (!key.getKey().startsWith(prefix)) {
                break;
            }
            Entry entry = at(key.getValue(), at);
            if (entry != null && options.limit() > 0 && entries.size() == options.limit()) {
                remaining++;
            } else if (entry != null) {
                entries.add(entry);
            }
        }
        return new Page(entries, at, remaining);
    }

    /** How many keys are kept, those included that are gone and not yet forgotten. */
    int keys() {
        return keys.size();
    }

    private static Entry at(List<Version> versions, long revision) {
        for (int i = versions.size() - 1; i >= 0; i--) {
            if (versions.get(i).revision <= revision) {
                return versions.get(i).entry;
            }
        }
        return null;
    }

    /** A null value deletes. */
    Event write(String key, byte[] value) {
        Entry before = get(key);
        revision++;
        Event event = value == null
                ? Event.delete(before, revision)
                : Event.put(
                        new Entry(key, value, before == null ? revision : before.createRevision(), revision), before);
        keys.computeIfAbsent(key, added -> new ArrayList<>(1)).add(new Version(revision, event.current()));
        changes.add(event);
        return event;
    }

    /** The changes after a revision to keys with that prefix. */
    List<Event> after(long after, String prefix) {
        if (after < compacted) {
            throw new CompactedException(after, compacted);
        }
        return changes.stream()
                .filter(event -> event.revision() > after && event.key().startsWith(prefix))
                .toList();
    }

    void compact(long to) {
        if (to > revision) {
            throw new FutureRevisionException(to, revision);
        }
        while (!changes.isEmpty() && changes.peek().revision() <= to) {
            forgetBefore(changes.poll().key(), to);
        }
        compacted = Math.max(compacted, to);
    }

    private void forgetBefore(String key, long to) {
        List<Version> versions = keys.get(key);
        if (versions == null) {
            return;
        }
        while (versions.size() > 1 && versions.get(1).revision <= to) {
            versions.removeFirst();
        }
        if (versions.size() == 1 && versions.getFirst().entry == null && versions.getFirst().revision <= to) {
            keys.remove(key);
        }
    }

    private static int compare(String a, String b) {
        int length = Math.min(a.length(), b.length());
        for (int i = 0; i < length; i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                // A surrogate stands for a code point above all others.
                boolean above = Character.isSurrogate(x);
                return above == Character.isSurrogate(y) ? Character.compare(x, y) : above ? 1 : -1;
            }
        }
        return Integer.compare(a.length(), b.length());
    }
}
