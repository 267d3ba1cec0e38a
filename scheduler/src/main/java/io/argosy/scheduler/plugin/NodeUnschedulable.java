package io.argosy.scheduler.plugin;

import io.argosy.client.Tolerations;
import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.PodInfo;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.TaintBuilder;
import java.util.EnumSet;
import java.util.Set;

/** Keeps pods off cordoned nodes. */
public final class NodeUnschedulable implements Filter {
    private static final Rejection REJECTION = Rejection.forGood("node(s) were unschedulable");
    private static final Taint TAINT = new TaintBuilder()
            .withKey("node.kubernetes.io/unschedulable")
            .withEffect("NoSchedule")
            .build();

    @Override
    public String name() {
        return "NodeUnschedulable";
    }

    @Override
    public Check prepare(PodInfo pod, ClusterState cluster) {
        return node -> node.unschedulable() && !Tolerations.allow(pod.tolerations(), TAINT) ? REJECTION : null;
    }

    @Override
    public Set<ClusterEvent.Kind> wakesOn() {
        return EnumSet.of(ClusterEvent.Kind.NODE_ADDED, ClusterEvent.Kind.NODE_TAINTS);
    }

    @Override
    public boolean helps(PodInfo pod, ClusterEvent event, ClusterState cluster) {
        return event instanceof ClusterEvent.OfNode(var kind, var node)
                && (!node.unschedulable() || Tolerations.allow(pod.tolerations(), TAINT));
    }
}
