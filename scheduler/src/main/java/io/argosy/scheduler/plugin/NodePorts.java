package io.argosy.scheduler.plugin;

import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import java.util.EnumSet;
import java.util.Set;

/** Keeps two pods from claiming the same port of a node. */
public final class NodePorts implements Filter {
    private static final Rejection REJECTION =
            Rejection.forNow("node(s) didn't have free ports for the requested pod ports");

    @Override
    public String name() {
        return "NodePorts";
    }

    @Override
    public boolean concerns(PodInfo pod) {
        return !pod.hostPorts().isEmpty();
    }

    @Override
    public Rejection reject(PodInfo pod, NodeInfo node) {
        return node.portsFree(pod.hostPorts()) ? null : REJECTION;
    }

    @Override
    public Set<ClusterChange> wakesOn() {
        return EnumSet.of(ClusterChange.NODE_ADDED, ClusterChange.POD_REMOVED);
    }
}
