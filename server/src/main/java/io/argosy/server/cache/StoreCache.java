package io.argosy.server.cache;

import io.argosy.api.time.Clock;
import io.argosy.store.CompactedException;
import io.argosy.store.Entry;
import io.argosy.store.Event;
import io.argosy.store.ListOptions;
import io.argosy.store.Page;
import io.argosy.store.Store;
import io.argosy.store.StoreException;
import io.argosy.store.Watch;
import io.argosy.store.WatchListener;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The caches of all resources behind one watch on the whole store, so that they advance together, revision by revision. */
public final class StoreCache implements AutoCloseable {
    public static final String ROOT = "/registry/";

    private static final Logger LOG = LoggerFactory.getLogger(StoreCache.class);
    private static final Duration RELOAD_PAUSE = Duration.ofSeconds(1);

    private final Store store;
    private final Clock clock;
    private final Map<String, ResourceCache> caches = new ConcurrentHashMap<>();
    private final ReentrantLock progress = new ReentrantLock();
    private final Condition advanced = progress.newCondition();
    private volatile long applied;
    private volatile Watch watch;
    private volatile boolean closed;

    public StoreCache(Store store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    /** Declares a resource; after {@link #open} its objects are loaded at once. The prefix ends with a slash. */
    public ResourceCache declare(
            String prefix, boolean namespaced, Set<String> selectableFields, UnaryOperator<byte[]> form) {
        ResourceCache cache = new ResourceCache(prefix, namespaced, selectableFields, form);
        caches.put(prefix, cache);
        if (watch != null) {
            Page page = store.list(prefix, ListOptions.ALL);
            cache.load(page.entries(), page.revision());
        }
        return cache;
    }

    /** Forgets a resource, and ends who watches it. */
    public void forget(ResourceCache cache) {
        caches.remove(cache.prefix(), cache);
        cache.end();
    }

    /** Loads everything and follows the store from there. */
    public void open() {
        load();
    }

    /** The first time, or when changes were missed: then whoever watches is told to list anew, and the rest is as if nothing had been. */
    private void load() {
        Page all = store.list(ROOT, ListOptions.ALL);
        Map<ResourceCache, List<Entry>> parts = new HashMap<>();
        caches.values().forEach(cache -> parts.put(cache, new ArrayList<>()));
        for (Entry entry : all.entries()) {
            ResourceCache cache = cacheOf(entry.key());
            if (cache != null) {
                parts.get(cache).add(entry);
            }
        }
        parts.forEach((cache, entries) -> cache.load(entries, all.revision()));
        progress.lock();
        try {
            applied = all.revision();
            advanced.signalAll();
        } finally {
            progress.unlock();
        }
        watch = store.watch(ROOT, all.revision(), new Follower());
    }

    /**
     * Waits until every cache shows all that was written anywhere before this call. A store of our own tells its caches first; one that others
     * write to is asked how far it is. While it cannot be asked, what is known is shown.
     */
    public void awaitNewest() throws InterruptedException {
        if (!store.shared()) {
            return;
        }
        long newest;
        try {
            newest = store.revision();
        } catch (StoreException away) {
            LOG.debug("answered from memory", away);
            return;
        }
        await(newest);
    }

    private void loadAgain() {
        while (!closed) {
            try {
                load();
                LOG.info("The caches are loaded anew");
                return;
            } catch (StoreException notYet) {
                LOG.warn("The caches cannot be loaded anew yet: {}", notYet.getMessage());
                try {
                    clock.pause(RELOAD_PAUSE);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
    }

    /** The revision up to which every cache is complete. */
    public long applied() {
        return applied;
    }

    /** Waits until every cache has reached the revision; at once in the embedded store, where caches are fed before the acknowledgement. */
    public void await(long revision) throws InterruptedException {
        if (applied >= revision) {
            return;
        }
        progress.lock();
        try {
            while (applied < revision) {
                advanced.await();
            }
        } finally {
            progress.unlock();
        }
    }

    public ResourceCache.Snapshot snapshot(ResourceCache cache, String namespace) {
        return cache.snapshot(namespace, applied);
    }

    /** With a clock, the watcher holds it while there is something to read, until {@link Watcher#done}. */
    public Watcher watch(ResourceCache cache, long afterRevision, Clock clock) {
        WatchLog.Cursor cursor = cache.log().after(afterRevision, clock);
        return cursor == null ? remembered(cache, afterRevision, clock) : new Watcher(new ArrayDeque<>(), cursor);
    }

    /** What this process has forgotten, or has not lived to see, the store may still know. */
    private Watcher remembered(ResourceCache cache, long afterRevision, Clock clock) {
        WatchLog.Cursor cursor = cache.log().fromOldest(clock);
        if (cursor == null) {
            throw Watcher.tooOld(afterRevision, store.compactedRevision());
        }
        History history = new History(cache, cursor.after());
        boolean whole = false;
        try (Watch past = store.watch(cache.prefix(), afterRevision, history)) {
            whole = history.isWhole();
        } catch (CompactedException gone) {
            LOG.debug("the store has forgotten revision {} too", afterRevision);
        } finally {
            if (!whole) {
                cursor.close();
                cursor.done();
            }
        }
        if (!whole) {
            throw Watcher.tooOld(afterRevision, store.compactedRevision());
        }
        return new Watcher(history.changes(), cursor);
    }

    /** Ends all watches of this server, as a server may at any time; whoever watches comes again. */
    public void endWatches() {
        caches.values().forEach(ResourceCache::end);
    }

    @Override
    public void close() {
        closed = true;
        if (watch != null) {
            watch.close();
        }
    }

    /** Resources lie one or two segments below the root: {@code /registry/pods/}, {@code /registry/services/specs/}. */
    private ResourceCache cacheOf(String key) {
        int slash = key.indexOf('/', ROOT.length());
        while (slash > 0) {
            ResourceCache cache = caches.get(key.substring(0, slash + 1));
            if (cache != null) {
                return cache;
            }
            slash = key.indexOf('/', slash + 1);
        }
        return null;
    }

    private final class Follower implements WatchListener {
        @Override
        public void onEvents(List<Event> events) {
            for (Event event : events) {
                ResourceCache cache = cacheOf(event.key());
                if (cache != null) {
                    cache.apply(event);
                }
            }
            progress.lock();
            try {
                applied = events.getLast().revision();
                advanced.signalAll();
            } finally {
                progress.unlock();
            }
        }

        @Override
        public void onClosed(Throwable cause) {
            if (cause instanceof CompactedException) {
                LOG.warn("Changes were missed while the store could not be reached: loading everything anew");
                Thread.ofVirtual().name("cache-load").start(StoreCache.this::loadAgain);
            } else if (cause != null) {
                LOG.error("The caches no longer follow the store; restart Argosy", cause);
            }
        }
    }
}
