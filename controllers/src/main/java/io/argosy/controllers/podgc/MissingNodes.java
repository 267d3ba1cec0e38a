package io.argosy.controllers.podgc;

import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/** Since when nodes that pods name have been seen missing. */
final class MissingNodes {
    private final Map<String, Instant> since = new ConcurrentHashMap<>();

    /** Since when; since now if this is the first time. */
    Instant since(String node, Instant now) {
        return since.computeIfAbsent(node, name -> now);
    }

    void forget(String node) {
        since.remove(node);
    }

    /** Forgets nodes that nobody asks about any more. */
    void keepOnly(Predicate<String> named) {
        since.keySet().removeIf(named.negate());
    }
}
