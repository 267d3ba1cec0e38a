package io.argosy.store.etcd;

import io.argosy.store.CompactedException;
import io.argosy.store.Event;
import io.argosy.store.StoreException;
import io.argosy.store.StoreException.Reason;
import io.argosy.store.feed.Subscription;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.watch.WatchEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows etcd by one stream and tells watches what it brings, then the writers whose writes it were: one thread, revision by revision. So a
 * cache fed by a watch already holds a write when its writer hears of it, and what other servers write comes the same way.
 */
final class Feed implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(Feed.class);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** What the dispatching thread is told. */
    private sealed interface News {
        record Changes(List<WatchEvent> events) implements News {}

        /** Changes are lost: the next one that is known of comes after this revision. */
        record Gap(long compacted) implements News {}

        record Last() implements News {}
    }

    private final Connection connection;
    private final EtcdConfig config;
    private final Entries entries;
    private final BlockingQueue<News> news = new LinkedBlockingQueue<>();
    private final CopyOnWriteArrayList<Subscription> live = new CopyOnWriteArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition advanced = lock.newCondition();

    /** Under the lock: writers that wait until watches know of their revision. */
    private final TreeMap<Long, List<Runnable>> waiting = new TreeMap<>();

    /** The newest revision that a watch must know of before it joins. */
    private long dispatched;

    /** The newest revision that all watches have been told of. */
    private long told;

    private boolean ended;

    /** Under this object's monitor: the stream in use, and how far it has brought us. */
    private Stream stream;

    private long received;

    Feed(Connection connection, EtcdConfig config, Entries entries, long revision) {
        this.connection = connection;
        this.config = config;
        this.entries = entries;
        this.dispatched = revision;
        this.told = revision;
        this.received = revision;
    }

    /** Follows etcd through this client from where the one before it ended. */
    synchronized void follow(Client client) {
        if (stream != null) {
            stream.close();
        }
        Stream[] self = new Stream[1];
        self[0] = new Stream(client, events -> received(self[0], events), failure -> lost(self[0], failure));
        stream = self[0];
        stream.open(received);
    }

    private synchronized void received(Stream from, List<WatchEvent> events) {
        if (from == stream) {
            received = events.getLast().getKeyValue().getModRevision();
            news.add(new News.Changes(events));
        }
    }

    private synchronized void lost(Stream from, Throwable failure) {
        if (from != stream) {
            return;
        }
        if (EtcdErrors.isCompacted(failure)) {
            long compacted =
                    EtcdErrors.cause(failure) instanceof io.etcd.jetcd.common.exception.CompactedException known
                            ? known.getCompactedRevision()
                            : received + 1;
            news.add(new News.Gap(compacted));
            received = compacted;
            Thread.ofVirtual().name("etcd-follow").start(() -> follow(connection.client()));
            return;
        }
        if (EtcdErrors.isOldToken(failure)) {
            Thread.ofVirtual().name("etcd-follow").start(() -> follow(connection.client()));
            return;
        }
        connection.lost(from.client(), failure);
    }

    @Override
    public void run() {
        try {
            for (News next = news.take(); !(next instanceof News.Last); next = news.take()) {
                switch (next) {
                    case News.Changes changes -> dispatch(changes.events());
                    case News.Gap gap -> tear(gap.compacted());
                    case News.Last _ -> throw new IllegalStateException("ended above");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the store gave up waiting for a listener
        } finally {
            closeAll();
        }
    }

    private void dispatch(List<WatchEvent> changes) {
        long revision = changes.getLast().getKeyValue().getModRevision();
        if (changes.stream().anyMatch(Entries::isTorn)) {
            tear(revision);
            return;
        }
        List<Event> events = decode(changes);
        List<Subscription> targets;
        lock.lock();
        try {
            dispatched = Math.max(dispatched, revision);
            targets = List.copyOf(live);
        } finally {
            lock.unlock();
        }
        if (!events.isEmpty()) {
            targets.forEach(target -> target.deliver(events));
        }
        acknowledge(revision);
    }

    private List<Event> decode(List<WatchEvent> changes) {
        List<Event> events = new ArrayList<>(changes.size());
        for (WatchEvent change : changes) {
            try {
                events.add(entries.event(change));
            } catch (StoreException unreadable) {
                log.error("A change is passed over. {}", unreadable.getMessage());
            }
        }
        return events;
    }

    /** Ends the watches, which have missed something; who watches again from a revision of now misses nothing more. */
    private void tear(long compacted) {
        long reached;
        lock.lock();
        try {
            reached = dispatched;
            dispatched = Math.max(dispatched, compacted);
        } finally {
            lock.unlock();
        }
        List.copyOf(live).forEach(subscription -> subscription.end(new CompactedException(reached, compacted)));
        acknowledge(compacted);
    }

    private void acknowledge(long revision) {
        List<Runnable> due = new ArrayList<>();
        lock.lock();
        try {
            told = Math.max(told, revision);
            Map<Long, List<Runnable>> reached = waiting.headMap(revision, true);
            reached.values().forEach(due::addAll);
            reached.clear();
            advanced.signalAll();
        } finally {
            lock.unlock();
        }
        due.forEach(Runnable::run);
    }

    /** Runs the action when watches know of the revision; at once if they do. */
    void when(long revision, Runnable action) {
        lock.lock();
        try {
            if (told < revision && !ended) {
                waiting.computeIfAbsent(revision, _ -> new ArrayList<>(1)).add(action);
                return;
            }
        } finally {
            lock.unlock();
        }
        action.run();
    }

    /** Waits until watches know of the revision. */
    void await(long revision) {
        lock.lock();
        try {
            long nanos = PATIENCE.toNanos();
            while (told < revision) {
                if (ended) {
                    throw Connection.closed();
                }
                if (nanos <= 0) {
                    throw EtcdErrors.away(config, null);
                }
                nanos = advanced.awaitNanos(nanos);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException(Reason.UNAVAILABLE, "The wait for etcd was interrupted.", e);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Lets a watch that has been told of all up to its revision hear of the rest; false if it has not yet been told of what is already
     * dispatched.
     */
    boolean join(Subscription subscription) {
        lock.lock();
        try {
            if (ended) {
                throw Connection.closed();
            }
            if (subscription.reached() < dispatched) {
                return false;
            }
            live.add(subscription);
            return true;
        } finally {
            lock.unlock();
        }
    }

    List<Subscription> live() {
        return live;
    }

    synchronized void end() {
        if (stream != null) {
            stream.close();
        }
        news.add(new News.Last());
    }

    private void closeAll() {
        List<Runnable> due = new ArrayList<>();
        lock.lock();
        try {
            ended = true;
            waiting.values().forEach(due::addAll);
            waiting.clear();
            advanced.signalAll();
        } finally {
            lock.unlock();
        }
        List.copyOf(live).forEach(subscription -> subscription.end(null));
        due.forEach(Runnable::run); // durable all the same
    }
}
