package io.argosy.scheduler.plugin;

import io.argosy.scheduler.state.AffinityTerm;
import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import io.argosy.scheduler.state.PodMatcher;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Prefers nodes near to the pods that a pod likes, and that like it; the score half of pod affinity. */
public final class PodAttraction implements Score {
    @Override
    public String name() {
        return "InterPodAffinity";
    }

    @Override
    public int weight() {
        return 2;
    }

    @Override
    public Rating prepare(PodInfo pod, ClusterState cluster, List<NodeInfo> candidates) {
        Map<String, Map<String, Long>> pull = new HashMap<>();
        for (AffinityTerm.Weighted wish : pod.preferredAffinity()) {
            AffinityTerm term = wish.term();
            add(
                    pull,
                    wish,
                    cluster.count(PodMatcher.affinity(List.of(term), cluster)).by(term.topologyKey()));
        }
        cluster.attracting().forEach((wish, counts) -> {
            if (wish.term().matches(pod, cluster)) {
                add(pull, wish, counts.by(wish.term().topologyKey()));
            }
        });
        return pull.isEmpty() ? null : new Pull(pull);
    }

    private static void add(
            Map<String, Map<String, Long>> pull, AffinityTerm.Weighted wish, Map<String, Integer> counts) {
        if (!counts.isEmpty()) {
            Map<String, Long> sums = pull.computeIfAbsent(wish.term().topologyKey(), key -> new HashMap<>());
            counts.forEach((value, count) -> sums.merge(value, (long) count * wish.weight(), Long::sum));
        }
    }

    /** How strongly each value of each node label draws the pod, or pushes it away. */
    private record Pull(Map<String, Map<String, Long>> byTopology) implements Rating {
        @Override
        public long score(NodeInfo node) {
            long sum = 0;
            for (Map.Entry<String, Map<String, Long>> topology : byTopology.entrySet()) {
                String value = node.labels().get(topology.getKey());
                if (value != null) {
                    sum += topology.getValue().getOrDefault(value, 0L);
                }
            }
            return sum;
        }

        @Override
        public void normalize(long[] scores, List<NodeInfo> candidates) {
            long min = Long.MAX_VALUE;
            long max = Long.MIN_VALUE;
            for (int i = 0; i < candidates.size(); i++) {
                min = Math.min(min, scores[i]);
                max = Math.max(max, scores[i]);
            }
            long range = max - min;
            for (int i = 0; i < candidates.size(); i++) {
                scores[i] = range > 0 ? (long) (BEST * ((double) (scores[i] - min) / range)) : 0;
            }
        }
    }
}
