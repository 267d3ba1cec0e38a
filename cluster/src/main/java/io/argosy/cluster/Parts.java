package io.argosy.cluster;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What was begun and must be ended, the last begun first; one that does not end well keeps no other from it. */
final class Parts implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Parts.class);

    private final Deque<AutoCloseable> begun = new ConcurrentLinkedDeque<>();

    <T extends AutoCloseable> T keep(T part) {
        begun.push(part);
        return part;
    }

    @Override
    public void close() {
        for (AutoCloseable part = begun.poll(); part != null; part = begun.poll()) {
            try {
                part.close();
            } catch (Exception e) {
                LOG.warn("a part did not close", e);
            }
        }
    }
}
