package io.argosy.scheduler.plugin;

import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.NodeCounts;
import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import io.argosy.scheduler.state.PodMatcher;
import io.argosy.scheduler.state.Selector;
import io.argosy.scheduler.state.SpreadConstraint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Prefers nodes and zones with fewer pods of a kind; the score half of topology spread. A pod that says nothing about it is spread
 * apart from those of the same Service or workload.
 */
public final class SpreadPreference implements Score {
    private final Function<PodInfo, Selector> likes;

    /** Likes tells which pods are of a kind with one that has no constraints of its own; empty if none are. */
    public SpreadPreference(Function<PodInfo, Selector> likes) {
        this.likes = likes;
    }

    @Override
    public String name() {
        return "PodTopologySpread";
    }

    @Override
    public int weight() {
        return 2;
    }

    @Override
    public Rating prepare(PodInfo pod, ClusterState cluster, List<NodeInfo> candidates) {
        boolean own = !pod.spread().isEmpty();
        List<SpreadConstraint> constraints = own
                ? pod.spread().stream()
                        .filter(constraint -> !constraint.required())
                        .toList()
                : defaults(pod);
        return constraints.isEmpty() ? null : new Evenness(pod, cluster, candidates, constraints, own);
    }

    private List<SpreadConstraint> defaults(PodInfo pod) {
        Selector selector = likes.apply(pod);
        return selector.isEmpty() ? List.of() : SpreadConstraint.defaults(selector);
    }

    /** How crowded the candidates are. */
    private static final class Evenness implements Rating {
        private final List<SpreadConstraint> constraints;
        private final boolean needsAllLabels;
        private final NodeCounts[] perNode;
        private final List<Map<String, long[]>> perValue = new ArrayList<>(2);
        private final double[] weights;

        Evenness(
                PodInfo pod,
                ClusterState cluster,
                List<NodeInfo> candidates,
                List<SpreadConstraint> constraints,
                boolean needsAllLabels) {
            this.constraints = constraints;
            this.needsAllLabels = needsAllLabels;
            perNode = new NodeCounts[constraints.size()];
            weights = new double[constraints.size()];
            int counted = (int) candidates.stream().filter(this::counts).count();
            for (int i = 0; i < constraints.size(); i++) {
                SpreadConstraint constraint = constraints.get(i);
                perNode[i] = constraint.selector().isEmpty()
                        ? null
                        : cluster.count(PodMatcher.spread(pod.namespace(), constraint.selector()));
                Map<String, long[]> values = constraint.isByNode() ? Map.of() : values(constraint, candidates);
                perValue.add(values);
                if (!values.isEmpty() && perNode[i] != null) {
                    sum(values, perNode[i], constraint, pod, cluster);
                }
                weights[i] = Math.log((constraint.isByNode() ? counted : values.size()) + 2.0);
            }
        }

        private Map<String, long[]> values(SpreadConstraint constraint, List<NodeInfo> candidates) {
            Map<String, long[]> values = new HashMap<>();
            for (NodeInfo node : candidates) {
                if (counts(node)) {
                    values.computeIfAbsent(
                            node.labels().getOrDefault(constraint.topologyKey(), ""), value -> new long[1]);
                }
            }
            return values;
        }

        private void sum(
                Map<String, long[]> values,
                NodeCounts counts,
                SpreadConstraint constraint,
                PodInfo pod,
                ClusterState cluster) {
            if (values.size() == 1 && values.containsKey("")) {
                return;
            }
            for (NodeInfo node : cluster.nodes()) {
                long[] sum = values.get(node.labels().getOrDefault(constraint.topologyKey(), ""));
                if (sum != null && counts(node) && constraint.includes(node, pod)) {
                    sum[0] += counts.on(node);
                }
            }
        }

        private boolean counts(NodeInfo node) {
            return !needsAllLabels || PodTopologySpread.hasAll(node, constraints);
        }

        @Override
        public long score(NodeInfo node) {
            if (!counts(node)) {
                return 0;
            }
            double score = 0;
            for (int i = 0; i < perNode.length; i++) {
                SpreadConstraint constraint = constraints.get(i);
                String value = node.labels().get(constraint.topologyKey());
                if (value != null) {
                    long count = constraint.isByNode()
                            ? perNode[i] == null ? 0 : perNode[i].on(node)
                            : perValue.get(i).get(value)[0];
                    score += count * weights[i] + (constraint.maxSkew() - 1);
                }
            }
            return Math.round(score);
        }

        @Override
        public void normalize(long[] scores, List<NodeInfo> candidates) {
            long min = Long.MAX_VALUE;
            long max = 0;
            for (int i = 0; i < candidates.size(); i++) {
                if (counts(candidates.get(i))) {
                    min = Math.min(min, scores[i]);
                    max = Math.max(max, scores[i]);
                }
            }
            for (int i = 0; i < candidates.size(); i++) {
                if (!counts(candidates.get(i))) {
                    scores[i] = 0;
                } else {
                    scores[i] = max == 0 ? BEST : BEST * (max + min - scores[i]) / max;
                }
            }
        }
    }
}
