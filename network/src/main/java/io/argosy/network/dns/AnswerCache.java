package io.argosy.network.dns;

import io.argosy.api.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** Keeps answers of other servers for a short while, the least used going first when there are too many. */
final class AnswerCache {
    private static final int LARGEST_KEPT = 4096;

    /** A question, apart from its id. */
    record Key(Name name, int type, boolean dnssecOk) {
        static Key of(Query query) {
            return new Key(query.name(), query.type, query.dnssecOk);
        }

        /** A key that does not look into the query. */
        static Key lasting(Query query) {
            byte[] wire = query.name().bytes();
            return new Key(new Name(wire, 0, wire.length), query.type, query.dnssecOk);
        }
    }

    private record Kept(ForeignAnswer answer, long since, long until) {}

    private final Clock clock;
    private final int capacity;
    private final long longest;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Key, Kept> entries = new LinkedHashMap<>(16, 0.75f, true);

    /** The longest time to keep anything is given in seconds. */
    AnswerCache(Clock clock, int capacity, long longest) {
        this.clock = clock;
        this.capacity = capacity;
        this.longest = longest;
    }

    void put(Key key, ForeignAnswer answer, long lifetime) {
        long now = now();
        long keep = Math.min(lifetime, longest);
        if (keep <= 0 || answer.message().length > LARGEST_KEPT) {
            return;
        }
        lock.lock();
        try {
            entries.put(key, new Kept(answer, now, now + keep * 1000));
            while (entries.size() > capacity) {
                entries.remove(entries.keySet().iterator().next());
            }
        } finally {
            lock.unlock();
        }
    }

    /** An answer, and how many seconds ago it came. */
    record Found(ForeignAnswer answer, long age) {}

    /** The kept answer; null if there is none. */
    Found find(Query query) {
        Kept kept;
        long now = now();
        lock.lock();
        try {
            if (entries.isEmpty()) {
                return null;
            }
            Key key = Key.of(query);
            kept = entries.get(key);
            if (kept != null && kept.until <= now) {
                entries.remove(key);
                kept = null;
            }
        } finally {
            lock.unlock();
        }
        return kept == null ? null : new Found(kept.answer, (now - kept.since) / 1000);
    }

    int size() {
        lock.lock();
        try {
            return entries.size();
        } finally {
            lock.unlock();
        }
    }

    private long now() {
        return clock.now().toEpochMilli();
    }
}
