package io.argosy.scheduler.plugin;

import io.argosy.scheduler.state.NodeInfo;
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
    public boolean concerns(PodInfo pod) {
        String wanted = pod.pod().getSpec().getNodeName();
        return wanted != null && !wanted.isEmpty();
    }

    @Override
    public Rejection reject(PodInfo pod, NodeInfo node) {
        return pod.pod().getSpec().getNodeName().equals(node.name()) ? null : REJECTION;
    }

    @Override
    public Set<ClusterChange> wakesOn() {
        return EnumSet.of(ClusterChange.NODE_ADDED);
    }
}
