package io.argosy.store.etcd;

import io.argosy.store.CompactedException;
import io.argosy.store.Event;
import io.argosy.store.feed.Subscription;
import io.etcd.jetcd.watch.WatchEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Tells a new watch of what happened before it began, from a stream of its own, until it can join the others. */
final class History implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final BlockingQueue<Object> pieces = new LinkedBlockingQueue<>();
    private final EtcdConfig config;
    private final Entries entries;
    private final Stream stream;

    History(Connection connection, EtcdConfig config, Entries entries, long afterRevision) {
        this.config = config;
        this.entries = entries;
        this.stream = new Stream(connection.client(), pieces::add, pieces::add);
        stream.open(afterRevision);
    }

    /** Passes on the next changes; waits for them. */
    void step(Subscription to) throws InterruptedException {
        Object piece = pieces.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        switch (piece) {
            case null -> throw EtcdErrors.away(config, null);
            case Throwable failure -> throw explained(failure, to.reached());
            case List<?> changes -> pass(changes, to);
            default -> throw new IllegalStateException("a stream brings changes or its end");
        }
    }

    private void pass(List<?> changes, Subscription to) {
        List<Event> events = new ArrayList<>(changes.size());
        long upTo = to.reached();
        for (Object change : changes) {
            WatchEvent event = (WatchEvent) change;
            upTo = event.getKeyValue().getModRevision();
            if (Entries.isTorn(event)) {
                throw new CompactedException(to.reached(), upTo);
            }
            if (to.matches(event.getKeyValue().getKey().toString(java.nio.charset.StandardCharsets.UTF_8))) {
                events.add(entries.event(event));
            }
        }
        to.replay(events, upTo);
    }

    private RuntimeException explained(Throwable failure, long reached) {
        if (EtcdErrors.cause(failure) instanceof io.etcd.jetcd.common.exception.CompactedException compacted) {
            return new CompactedException(reached, compacted.getCompactedRevision());
        }
        return EtcdErrors.explain(config, failure);
    }

    @Override
    public void close() {
        stream.close();
    }
}
