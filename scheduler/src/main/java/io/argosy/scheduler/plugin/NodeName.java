package io.argosy.scheduler.plugin;

import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.PodInfo;
import java.util.EnumSet;
import java.util.Set;

/** Lets a pod that names its node go there only. */
public final class NodeName implements Filter {
    private static final Rejection REJECTION = Rejection.forGood("node(s) didn't match the requested node name");

    @Override
    public String name() {
        return "NodeName";
    }

    @Override
    public Check prepare(PodInfo pod, ClusterState cluster) {
        String wanted = pod.pod().getSpec().getNodeName();
        return wanted == null || wanted.isEmpty() ? null : node -> wanted.equals(node.name()) ? null : REJECTION;
    }

    @Override
    public Set<ClusterEvent.Kind> wakesOn() {
        return EnumSet.of(ClusterEvent.Kind.NODE_ADDED);
    }

    @Override
    public boolean helps(PodInfo pod, ClusterEvent event, ClusterState cluster) {
        return event instanceof ClusterEvent.OfNode(var kind, var node)
                && node.name().equals(pod.pod().getSpec().getNodeName());
    }
}
