package io.argosy.scheduler.plugin;

import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.NodeRequirement;
import io.argosy.scheduler.state.PodInfo;
import java.util.EnumSet;
import java.util.Set;

/** Holds pods to their nodeSelector and required node affinity, and leans towards what they prefer. */
public final class NodeAffinity implements Filter {
    private static final Rejection REJECTION = Rejection.forGood("node(s) didn't match Pod's node affinity/selector");

    @Override
    public String name() {
        return "NodeAffinity";
    }

    @Override
    public boolean concerns(PodInfo pod) {
        return !pod.required().isAny();
    }

    @Override
    public Rejection reject(PodInfo pod, NodeInfo node) {
        return pod.required().matches(node) ? null : REJECTION;
    }

    @Override
    public Set<ClusterChange> wakesOn() {
        return EnumSet.of(ClusterChange.NODE_ADDED, ClusterChange.NODE_LABELS);
    }

    /** The score half; apart, because a pod may have a preference without a requirement. */
    public static final class Preference implements Score {
        @Override
        public String name() {
            return "NodeAffinity";
        }

        @Override
        public int weight() {
            return 2;
        }

        @Override
        public boolean concerns(PodInfo pod) {
            return !pod.preferred().isEmpty();
        }

        @Override
        public long score(PodInfo pod, NodeInfo node) {
            long sum = 0;
            for (NodeRequirement.Preferred preferred : pod.preferred()) {
                if (preferred.matches(node)) {
                    sum += preferred.weight();
                }
            }
            return sum;
        }

        @Override
        public void normalize(long[] scores, int count) {
            Score.stretch(scores, count, false);
        }
    }
}
