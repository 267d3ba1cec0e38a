package io.argosy.scheduler.plugin;

import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.NodeRequirement;
import io.argosy.scheduler.state.PodInfo;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Holds pods to their nodeSelector and required node affinity, and leans towards what they prefer. */
public final class NodeAffinity implements Filter, Score {
    private static final Rejection CONFLICT = Rejection.forGood("pod affinity terms conflict");
    private static final Rejection REJECTION = Rejection.forGood("node(s) didn't match Pod's node affinity/selector");

    @Override
    public String name() {
        return "NodeAffinity";
    }

    @Override
    public Check prepare(PodInfo pod, ClusterState cluster) {
        return pod.required().isAny()
                ? null
                : new Requirement(pod.required(), pod.required().names());
    }

    @Override
    public Set<ClusterEvent.Kind> wakesOn() {
        return EnumSet.of(ClusterEvent.Kind.NODE_ADDED, ClusterEvent.Kind.NODE_LABELS);
    }

    @Override
    public boolean helps(PodInfo pod, ClusterEvent event, ClusterState cluster) {
        return event instanceof ClusterEvent.OfNode(var kind, var node)
                && pod.required().matches(node);
    }

    @Override
    public int weight() {
        return 2;
    }

    @Override
    public Rating prepare(PodInfo pod, ClusterState cluster, List<NodeInfo> candidates) {
        return pod.preferred().isEmpty() ? null : new Preference(pod.preferred());
    }

    private record Requirement(NodeRequirement required, Set<String> nodes) implements Check {
        @Override
        public Rejection reject(NodeInfo node) {
            return required.matches(node) ? null : REJECTION;
        }

        @Override
        public Rejection refusal() {
            return nodes != null && nodes.isEmpty() ? CONFLICT : null;
        }
    }

    private record Preference(List<NodeRequirement.Preferred> preferred) implements Rating {
        @Override
        public long score(NodeInfo node) {
            long sum = 0;
            for (NodeRequirement.Preferred one : preferred) {
                if (one.matches(node)) {
                    sum += one.weight();
                }
            }
            return sum;
        }

        @Override
        public void normalize(long[] scores, List<NodeInfo> candidates) {
            Score.stretch(scores, candidates.size(), false);
        }
    }
}
