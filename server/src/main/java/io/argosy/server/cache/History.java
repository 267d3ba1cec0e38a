package io.argosy.server.cache;

import io.argosy.store.Entry;
import io.argosy.store.Event;
import io.argosy.store.WatchListener;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

/** Changes of one resource from before this process followed the store, as the store remembers them, up to a revision. */
final class History implements WatchListener {
    /** As many as a log keeps; who is further behind had better list. */
    private static final int MOST = WatchLog.CAPACITY;

    private final ResourceCache cache;
    private final long until;
    private final Queue<Change> changes = new ArrayDeque<>();
    private long bytes;
    private boolean whole = true;

    History(ResourceCache cache, long until) {
        this.cache = cache;
        this.until = until;
    }

    @Override
    public synchronized void onEvents(List<Event> events) {
        for (Event event : events) {
            if (!whole || event.revision() > until) {
                return;
            }
            boolean made = event.type() == Event.Type.PUT
                    && event.current().createRevision() == event.current().modRevision();
            bytes += size(event.current()) + size(event.previous());
            if (changes.size() == MOST || bytes > WatchLog.MOST_BYTES || (event.previous() == null && !made)) {
                whole = false;
                changes.clear();
            } else {
                changes.add(cache.past(event));
            }
        }
    }

    private static int size(Entry entry) {
        return entry == null ? 0 : entry.value().length;
    }

    @Override
    public synchronized void onClosed(Throwable cause) {
        whole &= cause == null;
    }

    /** Whether nothing is missing. */
    synchronized boolean isWhole() {
        return whole;
    }

    synchronized Queue<Change> changes() {
        return changes;
    }
}
