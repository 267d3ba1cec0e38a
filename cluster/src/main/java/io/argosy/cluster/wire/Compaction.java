package io.argosy.cluster.wire;

import io.argosy.api.time.Clock;
import io.argosy.store.CompactionPolicy;
import io.argosy.store.Store;
import io.argosy.store.StoreException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets the store forget its older history again and again, so that it stays bounded without anyone asking. */
public final class Compaction {
    private static final Logger LOG = LoggerFactory.getLogger(Compaction.class);
    private static final Duration INTERVAL = Duration.ofMinutes(1);
    private static final Duration KEPT = Duration.ofMinutes(5);
    private static final long MOST_REVISIONS = 200_000;
    private static final long MOST_BYTES = 1L << 30;

    private final Store store;
    private final Clock clock;
    private final CompactionPolicy policy = new CompactionPolicy(KEPT, MOST_REVISIONS, MOST_BYTES);
    private Clock.Timer timer;

    private Compaction(Store store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    /** Goes on until the handle is closed. */
    public static AutoCloseable start(Store store, Clock clock) {
        Compaction compaction = new Compaction(store, clock);
        compaction.timer = clock.every(INTERVAL, compaction::run);
        return compaction::close;
    }

    private synchronized void run() {
        try {
            policy.observe(clock.now(), store.revision(), store.written()).ifPresent(store::compact);
        } catch (StoreException e) {
            LOG.warn("The store could not be compacted; it is tried again in a minute: {}", e.getMessage());
        }
    }

    private synchronized void close() {
        timer.cancel();
    }
}
