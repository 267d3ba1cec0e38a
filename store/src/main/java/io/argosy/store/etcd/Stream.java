package io.argosy.store.etcd;

import io.etcd.jetcd.Client;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchEvent;
import io.etcd.jetcd.watch.WatchResponse;
import java.util.List;
import java.util.function.Consumer;

/**
 * All changes of all keys after a revision, as etcd sends them. All keys, because then every revision brings an event, and so whoever waits
 * for a revision knows when it has come; etcd's own word on how far a watch has got cannot be had from every version.
 */
final class Stream implements Watch.Listener, AutoCloseable {
    private final Client client;
    private final Consumer<List<WatchEvent>> changes;
    private final Consumer<Throwable> end;
    private Watch.Watcher watcher;
    private volatile boolean closed;

    /** The listeners must not wait: they are called by the network's thread. The end comes once at most. */
    Stream(Client client, Consumer<List<WatchEvent>> changes, Consumer<Throwable> end) {
        this.client = client;
        this.changes = changes;
        this.end = end;
    }

    synchronized void open(long afterRevision) {
        watcher = client.getWatchClient()
                .watch(
                        Entries.ALL,
                        WatchOption.builder()
                                .withRange(Entries.ALL)
                                .withRevision(afterRevision + 1)
                                .withPrevKV(true)
                                .withRequireLeader(true)
                                .build(),
                        this);
        if (closed) {
            watcher.close();
        }
    }

    Client client() {
        return client;
    }

    @Override
    public void onNext(WatchResponse response) {
        List<WatchEvent> events = response.getEvents();
        if (!closed && !events.isEmpty()) {
            changes.accept(events);
        }
    }

    /** We resume ourselves, from the last revision that was passed on. */
    @Override
    public void onError(Throwable failure) {
        if (!closed) {
            closed = true;
            end.accept(failure);
            Thread.ofVirtual().name("etcd-watch-end").start(this::close);
        }
    }

    @Override
    public void onCompleted() {}

    @Override
    public synchronized void close() {
        closed = true;
        if (watcher != null) {
            watcher.close();
        }
    }
}
