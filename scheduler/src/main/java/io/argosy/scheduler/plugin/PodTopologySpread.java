package io.argosy.scheduler.plugin;

import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.NodeCounts;
import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import io.argosy.scheduler.state.PodMatcher;
import io.argosy.scheduler.state.SpreadConstraint;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Keeps pods of a kind from crowding in one zone or on one node, where their constraints forbid it. */
public final class PodTopologySpread implements Filter {
    private static final String WORDS = "node(s) didn't match pod topology spread constraints";
    private static final Rejection UNEVEN = Rejection.forNow(WORDS);
    private static final Rejection NO_LABEL = Rejection.forGood(WORDS + " (missing required label)");

    @Override
    public String name() {
        return "PodTopologySpread";
    }

    @Override
    public Check prepare(PodInfo pod, ClusterState cluster) {
        List<SpreadConstraint> required = null;
        for (SpreadConstraint constraint : pod.spread()) {
            if (constraint.required()) {
                required = required == null ? new ArrayList<>(2) : required;
                required.add(constraint);
            }
        }
        return required == null ? null : new Spread(pod, cluster, required);
    }

    @Override
    public Set<ClusterEvent.Kind> wakesOn() {
        return EnumSet.of(
                ClusterEvent.Kind.NODE_ADDED,
                ClusterEvent.Kind.NODE_LABELS,
                ClusterEvent.Kind.NODE_TAINTS,
                ClusterEvent.Kind.NODE_GONE,
                ClusterEvent.Kind.POD_PLACED,
                ClusterEvent.Kind.POD_RELABELLED,
                ClusterEvent.Kind.POD_GONE);
    }

    /** Only pods that are counted, and nodes that have all the labels, change anything. */
    @Override
    public boolean helps(PodInfo pod, ClusterEvent event, ClusterState cluster) {
        return switch (event) {
            case ClusterEvent.OfPod(var kind, var other) ->
                kind == ClusterEvent.Kind.POD_RELABELLED
                        || other.namespace().equals(pod.namespace())
                                && pod.spread().stream()
                                        .anyMatch(constraint ->
                                                constraint.selector().matches(other.labels()));
            case ClusterEvent.OfNode(var kind, var node) ->
                kind != ClusterEvent.Kind.NODE_GONE || hasAll(node, pod.spread());
            default -> true;
        };
    }

    static boolean hasAll(NodeInfo node, List<SpreadConstraint> constraints) {
        for (SpreadConstraint constraint : constraints) {
            if (!node.labels().containsKey(constraint.topologyKey())) {
                return false;
            }
        }
        return true;
    }

    /** The constraints of one pod and how things stand. */
    private static final class Spread implements Check {
        private final PodInfo pod;
        private final List<SpreadConstraint> constraints;
        private final List<Domains> domains = new ArrayList<>(2);

        Spread(PodInfo pod, ClusterState cluster, List<SpreadConstraint> constraints) {
            this.pod = pod;
            this.constraints = constraints;
            for (SpreadConstraint constraint : constraints) {
                Domains found = new Domains(constraint, constraint.selector().matches(pod.labels()) ? 1 : 0);
                NodeCounts counts = constraint.selector().isEmpty()
                        ? null
                        : cluster.count(PodMatcher.spread(pod.namespace(), constraint.selector()));
                for (NodeInfo node : cluster.nodes()) {
                    if (hasAll(node, constraints) && constraint.includes(node, pod)) {
                        found.add(node, counts == null ? 0 : counts.on(node));
                    }
                }
                domains.add(found);
            }
        }

        @Override
        public Rejection reject(NodeInfo node) {
            for (Domains one : domains) {
                String value = node.labels().get(one.constraint.topologyKey());
                if (value == null) {
                    return NO_LABEL;
                }
                if (one.skewWith(value) > one.constraint.maxSkew()) {
                    return UNEVEN;
                }
            }
            return null;
        }

        @Override
        public void added(PodInfo other, NodeInfo node) {
            suppose(other, node, 1);
        }

        @Override
        public void removed(PodInfo other, NodeInfo node) {
            suppose(other, node, -1);
        }

        private void suppose(PodInfo other, NodeInfo node, int by) {
            if (!other.namespace().equals(pod.namespace()) || !hasAll(node, constraints)) {
                return;
            }
            for (Domains one : domains) {
                if (one.constraint.selector().matches(other.labels()) && one.constraint.includes(node, pod)) {
                    one.add(node, by);
                }
            }
        }
    }

    /** How many pods each value of one label has. */
    private static final class Domains {
        private final SpreadConstraint constraint;
        private final int self;
        private final Map<String, int[]> counts = new HashMap<>();
        private int least = -1;

        Domains(SpreadConstraint constraint, int self) {
            this.constraint = constraint;
            this.self = self;
        }

        void add(NodeInfo node, int count) {
            counts.computeIfAbsent(node.labels().get(constraint.topologyKey()), value -> new int[1])[0] += count;
            least = -1;
        }

        int skewWith(String value) {
            int[] here = counts.get(value);
            return (here == null ? 0 : here[0]) + self - least();
        }

        /** As long as there are fewer domains than wanted, the ones to come count as empty. */
        private int least() {
            if (least < 0) {
                least = counts.size() < constraint.minDomains() ? 0 : Integer.MAX_VALUE;
                for (int[] count : counts.values()) {
                    least = Math.min(least, count[0]);
                }
            }
            return least;
        }
    }
}
