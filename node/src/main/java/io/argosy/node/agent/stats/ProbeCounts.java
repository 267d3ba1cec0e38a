package io.argosy.node.agent.stats;

import io.argosy.api.metrics.Exposition;
import io.argosy.node.agent.model.PodFacts;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/** How often each probe has looked, and what it found; forgotten with the container. */
public final class ProbeCounts {
    private record Key(String namespace, String pod, String uid, String container, String kind, boolean ok)
            implements Comparable<Key> {
        @Override
        public int compareTo(Key other) {
            return toString().compareTo(other.toString());
        }
    }

    private final Map<Key, LongAdder> counts = new ConcurrentSkipListMap<>();

    public void looked(Pod pod, String container, String kind, boolean ok) {
        Key key = new Key(PodFacts.namespace(pod), PodFacts.name(pod), PodFacts.uid(pod), container, kind, ok);
        counts.computeIfAbsent(key, k -> new LongAdder()).increment();
    }

    /** The pod is no longer here. */
    public void forget(String uid) {
        counts.keySet().removeIf(key -> key.uid.equals(uid));
    }

    void writeTo(Exposition page) {
        page.counter(
                "prober_probe_total",
                "[BETA] Cumulative number of a liveness, readiness or startup probe for a container by result.");
        counts.forEach((key, count) -> page.sample(
                count.sum(),
                "container",
                key.container,
                "namespace",
                key.namespace,
                "pod",
                key.pod,
                "pod_uid",
                key.uid,
                "probe_type",
                key.kind,
                "result",
                key.ok ? "successful" : "failed"));
    }
}
