package io.argosy.scheduler.plugin;

import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.PodInfo;
import java.util.EnumSet;
import java.util.List;
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
    public Check prepare(PodInfo pod, ClusterState cluster) {
        List<PodInfo.HostPort> ports = pod.hostPorts();
        return ports.isEmpty() ? null : node -> node.portsFree(ports) ? null : REJECTION;
    }

    @Override
    public Set<ClusterEvent.Kind> wakesOn() {
        return EnumSet.of(ClusterEvent.Kind.NODE_ADDED, ClusterEvent.Kind.POD_GONE);
    }

    /** Only a pod that had a port that is wanted leaves one behind. */
    @Override
    public boolean helps(PodInfo pod, ClusterEvent event, ClusterState cluster) {
        return !(event instanceof ClusterEvent.OfPod(var kind, var gone))
                || PodInfo.HostPort.anyCollide(pod.hostPorts(), gone.hostPorts());
    }
}
