package io.argosy.operators.backup;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Lets so many snapshots pass through at once, since each has a part of it in memory, and not all of one namespace: whoever names endpoints
 * that never come to an end delays nobody else.
 */
final class Turns {
    private static final int AT_ONCE = 4;
    private static final int OF_ONE_NAMESPACE = 2;

    private final Map<String, Integer> taken = new HashMap<>();

    /** What comes of the work; empty if it is not its turn. */
    <T> Optional<T> take(String namespace, Supplier<T> work) {
        if (!enter(namespace)) {
            return Optional.empty();
        }
        try {
            return Optional.of(work.get());
        } finally {
            leave(namespace);
        }
    }

    private synchronized boolean enter(String namespace) {
        int all = taken.values().stream().mapToInt(Integer::intValue).sum();
        if (all >= AT_ONCE || taken.getOrDefault(namespace, 0) >= OF_ONE_NAMESPACE) {
            return false;
        }
        taken.merge(namespace, 1, Integer::sum);
        return true;
    }

    private synchronized void leave(String namespace) {
        taken.computeIfPresent(namespace, (name, count) -> count == 1 ? null : count - 1);
    }
}
