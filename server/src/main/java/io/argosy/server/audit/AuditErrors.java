package io.argosy.server.audit;

import io.argosy.api.metrics.Exposition;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts the events that did not get where they should, by who lost them. */
final class AuditErrors {
    private final Map<String, LongAdder> lost = new ConcurrentHashMap<>();

    void lost(String plugin, int events) {
        lost.computeIfAbsent(plugin, first -> new LongAdder()).add(events);
    }

    long of(String plugin) {
        LongAdder count = lost.get(plugin);
        return count == null ? 0 : count.sum();
    }

    void writeTo(Exposition page) {
        lost.forEach((plugin, count) -> page.sample(count.sum(), "plugin", plugin));
    }
}
