package io.argosy.store.memory;

import io.argosy.store.Entry;
import io.argosy.store.Event;
import io.argosy.store.ListOptions;
import io.argosy.store.Page;
import io.argosy.store.Result;
import io.argosy.store.Store;
import io.argosy.store.StoreException;
import io.argosy.store.Watch;
import io.argosy.store.WatchListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A store in memory: no file, no thread, nothing left behind. A write is carried out by the thread that asks for it, which tells the
 * watches before it returns; so here, too, watches know of a write before its writer does.
 */
public final class MemoryStore implements Store {
    private final ReentrantLock lock = new ReentrantLock();
    private final MemoryLog log;
    private final LongAdder written = new LongAdder();
    private final List<Subscription> subscriptions = new ArrayList<>();
    private boolean closed;

    private MemoryStore(MemoryLog log) {
        this.log = log;
    }

    /** Opens the store that has written this log, or a new one; one at a time. */
    public static MemoryStore open(MemoryLog log) {
        return new MemoryStore(log);
    }

    @Override
    public long revision() {
        return locked(log::revision);
    }

    @Override
    public long compactedRevision() {
        return locked(log::compactedRevision);
    }

    @Override
    public Optional<Entry> get(String key) {
        return locked(() -> Optional.ofNullable(log.get(key)));
    }

    @Override
    public Page list(String prefix, ListOptions options) {
        return locked(() -> log.list(prefix, options));
    }

    @Override
    public long written() {
        return written.sum();
    }

    @Override
    public CompletableFuture<Result> putAsync(String key, byte[] value, long expected) {
        written.add(value.length);
        return write(key, value, expected);
    }

    @Override
    public CompletableFuture<Result> deleteAsync(String key, long expected) {
        return write(key, null, expected);
    }

    private CompletableFuture<Result> write(String key, byte[] value, long expected) {
        if (key.isEmpty()) {
            throw new IllegalArgumentException("a key must not be empty");
        }
        if (expected < ANY) {
            throw new IllegalArgumentException("no revision can be expected to be " + expected);
        }
        try {
            return CompletableFuture.completedFuture(locked(() -> writeNow(key, value, expected)));
        } catch (StoreException refusal) {
            return CompletableFuture.failedFuture(refusal);
        }
    }

    private Result writeNow(String key, byte[] value, long expected) {
        if (closed) {
            throw new StoreException(StoreException.Reason.CLOSED, "The store is closed.", null);
        }
        Entry before = log.get(key);
        long found = before == null ? ABSENT : before.modRevision();
        if (expected != ANY && expected != found || before == null && value == null) {
            return new Result.Conflict(before);
        }
        Event event = log.write(key, value);
        for (Subscription subscription : List.copyOf(subscriptions)) {
            subscription.tell(List.of(event));
        }
        return new Result.Committed(event.revision(), before);
    }

    @Override
    public Watch watch(String prefix, long afterRevision, WatchListener listener) {
        return locked(() -> {
            Subscription subscription = new Subscription(prefix, afterRevision, listener);
            List<Event> missed = log.after(afterRevision, prefix);
            subscriptions.add(subscription);
            if (!missed.isEmpty()) {
                subscription.tell(missed);
            }
            return subscription;
        });
    }

    @Override
    public void compact(long revision) {
        locked(() -> {
            log.compact(revision);
            return null;
        });
    }

    @Override
    public void close() {
        locked(() -> {
            closed = true;
            subscriptions.forEach(subscription -> subscription.listener.onClosed(null));
            subscriptions.clear();
            return null;
        });
    }

    private <T> T locked(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }

    private final class Subscription implements Watch {
        private final String prefix;
        private final long after;
        private final WatchListener listener;

        private Subscription(String prefix, long after, WatchListener listener) {
            this.prefix = prefix;
            this.after = after;
            this.listener = listener;
        }

        /** Under the store's lock. */
        private void tell(List<Event> events) {
            Event first = events.getFirst();
            if (first.revision() <= after || !first.key().startsWith(prefix)) {
                return;
            }
            try {
                listener.onEvents(events);
            } catch (RuntimeException e) {
                subscriptions.remove(this);
                listener.onClosed(e);
            }
        }

        @Override
        public void close() {
            locked(() -> subscriptions.remove(this));
        }
    }
}
