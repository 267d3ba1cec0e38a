package io.argosy.node.agent.stats;

import io.argosy.api.metrics.Exposition;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/** How many pods have gone for critical ones, by what was short. */
public final class PreemptionCounts {
    private final Map<String, LongAdder> counts = new ConcurrentSkipListMap<>();

    public void preempted(String resource) {
        counts.computeIfAbsent(resource, r -> new LongAdder()).increment();
    }

    void writeTo(Exposition page) {
        if (!counts.isEmpty()) {
            page.counter("kubelet_preemptions", "[ALPHA] Pods that were ended for critical ones, by what was short");
            counts.forEach((resource, count) -> page.sample(count.sum(), "preemption_signal", resource));
        }
    }
}
