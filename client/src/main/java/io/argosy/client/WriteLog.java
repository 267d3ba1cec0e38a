package io.argosy.client;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Remembers, for one piece of work, the newest revision it wrote of each kind, so that its worker can wait until the caches have
 * seen those writes. Threads that the work starts write into the same log.
 */
public final class WriteLog {
    private static final InheritableThreadLocal<WriteLog> CURRENT = new InheritableThreadLocal<>();

    private final Map<Class<? extends HasMetadata>, Long> revisions = new ConcurrentHashMap<>();

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

    static void note(Class<? extends HasMetadata> type, long revision) {
        WriteLog log = CURRENT.get();
        if (log != null && revision > 0) {
            log.revisions.merge(type, revision, Math::max);
        }
    }
}
