package io.argosy.scheduler.plugin;

import io.argosy.client.Tolerations;
import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import io.fabric8.kubernetes.api.model.Taint;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Keeps pods off nodes whose taints they do not tolerate, and prefers nodes without such that only ask to be avoided. */
public final class TaintToleration implements Filter, Score {
    private static final Rejection REJECTION = Rejection.forGood("node(s) had untolerated taint(s)");

    @Override
    public String name() {
        return "TaintToleration";
    }

    @Override
    public Check prepare(PodInfo pod, ClusterState cluster) {
        return node -> Tolerations.allow(pod.tolerations(), node.hardTaints()) ? null : REJECTION;
    }

    @Override
    public Set<ClusterEvent.Kind> wakesOn() {
        return EnumSet.of(ClusterEvent.Kind.NODE_ADDED, ClusterEvent.Kind.NODE_TAINTS);
    }

    @Override
    public boolean helps(PodInfo pod, ClusterEvent event, ClusterState cluster) {
        return event instanceof ClusterEvent.OfNode(var kind, var node)
                && Tolerations.allow(pod.tolerations(), node.hardTaints());
    }

    @Override
    public int weight() {
        return 3;
    }

    @Override
    public Rating prepare(PodInfo pod, ClusterState cluster, List<NodeInfo> candidates) {
        for (NodeInfo node : candidates) {
            if (!node.softTaints().isEmpty()) {
                return new Avoidance(pod);
            }
        }
        return null;
    }

    private record Avoidance(PodInfo pod) implements Rating {
        @Override
        public long score(NodeInfo node) {
            long unwelcome = 0;
            for (Taint taint : node.softTaints()) {
                if (!Tolerations.allow(pod.tolerations(), taint)) {
                    unwelcome++;
                }
            }
            return unwelcome;
        }

        @Override
        public void normalize(long[] scores, List<NodeInfo> candidates) {
            Score.stretch(scores, candidates.size(), true);
        }
    }
}
