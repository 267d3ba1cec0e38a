package io.argosy.store.sqlite;

import io.argosy.store.Event;
import io.argosy.store.StoreException;
import io.argosy.store.StoreException.Reason;
import io.argosy.store.Watch;
import io.argosy.store.WatchListener;
import io.argosy.store.feed.Subscription;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Tells watches what was committed, then the writers: one thread, one commit after the other, so that a cache fed by a
 * watch already holds a write when its writer hears of it. The next commit goes to disk meanwhile.
 */
final class Dispatcher implements Runnable {
    /** Below this distance a new watch reads the rest of its history while the dispatcher waits for it. */
    private static final long CLOSE_BY = 256;

    /** What one commit changed, and whom to tell when the watches know. */
    record Commit(List<Event> events, long revision, List<Runnable> acknowledgements) {
        private static final Commit LAST = new Commit(List.of(), -1, List.of());

        boolean isLast() {
            return revision < 0;
        }
    }

    private final BlockingQueue<Commit> commits = new ArrayBlockingQueue<>(8);
    private final CopyOnWriteArrayList<Subscription> live = new CopyOnWriteArrayList<>();
    private final ReaderPool readers;
    private final Head head;

    private final ReentrantLock lock = new ReentrantLock();
    private long dispatched;
    private boolean ended;

    Dispatcher(ReaderPool readers, Head head) {
        this.readers = readers;
        this.head = head;
        this.dispatched = head.newest;
    }

    /** Waits while several commits are already under way: whoever writes faster than watches listen, waits for them. */
    void submit(Commit commit) throws InterruptedException {
        commits.put(commit);
    }

    void end() throws InterruptedException {
        commits.put(Commit.LAST);
    }

    @Override
    public void run() {
        try {
            for (Commit commit = commits.take(); !commit.isLast(); commit = commits.take()) {
                dispatch(commit);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the store gave up waiting for a listener
        } finally {
            closeAll();
        }
    }

    private void dispatch(Commit commit) {
        if (!commit.events().isEmpty()) {
            List<Subscription> targets;
            lock.lock();
            try {
                dispatched = commit.revision();
                targets = List.copyOf(live);
            } finally {
                lock.unlock();
            }
            for (Subscription target : targets) {
                target.deliver(commit.events());
            }
        }
        commit.acknowledgements().forEach(Runnable::run);
    }

    private void closeAll() {
        lock.lock();
        try {
            ended = true;
        } finally {
            lock.unlock();
        }
        live.forEach(subscription -> subscription.end(null));
        for (Commit commit = commits.poll(); commit != null; commit = commits.poll()) {
            commit.acknowledgements().forEach(Runnable::run); // durable all the same
        }
    }

    /** Catches up with history from disk on the caller's thread, then joins the live ones without gap or overlap. */
    Watch watch(String prefix, long after, WatchListener listener) {
        Subscription subscription = new Subscription(prefix, after, listener, live);
        while (subscription.isOpen()) {
            long target;
            lock.lock();
            try {
                if (ended) {
                    throw new StoreException(Reason.CLOSED, "The store is closed.", null);
                }
                target = dispatched;
                if (target - subscription.reached() <= CLOSE_BY) {
                    while (subscription.reached() < target) {
                        catchUp(subscription, target);
                    }
                    subscription.requireUncompacted(head.compacted);
                    live.add(subscription);
                    return subscription;
                }
            } finally {
                lock.unlock();
            }
            catchUp(subscription, target);
        }
        return subscription;
    }

    private void catchUp(Subscription subscription, long target) {
        long from = subscription.reached();
        LogReader.History history = readers.read(reader -> reader.history(subscription.prefix(), from, target));
        subscription.requireUncompacted(head.compacted); // after reading: what was read is whole
        subscription.replay(history.events(), history.upTo());
    }
}
