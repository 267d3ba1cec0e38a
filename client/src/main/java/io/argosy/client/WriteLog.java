package io.argosy.client;

import io.argosy.client.model.Models;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Remembers, for one piece of work, the newest revision it wrote of each kind, so that its worker can wait until the caches have
 * seen those writes; and the writes of which nobody knows whether they were made. Threads that the work starts write into the same
 * log.
 */
public final class WriteLog {
    private static final InheritableThreadLocal<WriteLog> CURRENT = new InheritableThreadLocal<>();

    private final Map<Class<? extends HasMetadata>, Long> revisions = new ConcurrentHashMap<>();
    private final Map<Place, Doubt<?>> doubts = new ConcurrentHashMap<>();

    private record Place(Class<? extends HasMetadata> type, String namespace) {}

    /** Somewhere a write may have been made or not: the answer was lost, or the server failed on the way. The listing tells. */
    public record Doubt<T extends HasMetadata>(Class<T> type, String namespace, Supplier<Models.Listing<T>> listing) {}

    /** Does the work with this log noting its writes. */
    public <R> R during(Callable<R> work) throws Exception {
        WriteLog before = CURRENT.get();
        CURRENT.set(this);
        try {
            return work.call();
        } finally {
            if (before == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(before);
            }
        }
    }

    /** The newest revision written of each kind. */
    public Map<Class<? extends HasMetadata>, Long> revisions() {
        return Map.copyOf(revisions);
    }

    /** The kinds and namespaces of writes whose outcome is unknown. */
    public List<Doubt<?>> doubts() {
        return List.copyOf(doubts.values());
    }

    static void note(Class<? extends HasMetadata> type, long revision) {
        WriteLog log = CURRENT.get();
        if (log != null && revision > 0) {
            log.revisions.merge(type, revision, Math::max);
        }
    }

    static <T extends HasMetadata> void doubt(Class<T> type, String namespace, Supplier<Models.Listing<T>> listing) {
        WriteLog log = CURRENT.get();
        if (log != null) {
            log.doubts.put(new Place(type, namespace), new Doubt<>(type, namespace, listing));
        }
    }
}
