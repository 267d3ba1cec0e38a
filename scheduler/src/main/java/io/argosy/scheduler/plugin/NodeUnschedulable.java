package io.argosy.scheduler.plugin;

import io.argosy.scheduler.state.NodeInfo;
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
    public boolean concerns(PodInfo pod) {
        return true;
    }

    @Override
    public Rejection reject(PodInfo pod, NodeInfo node) {
        return node.unschedulable() && !TaintToleration.tolerates(pod.tolerations(), TAINT) ? REJECTION : null;
    }

    @Override
    public Set<ClusterChange> wakesOn() {
        return EnumSet.of(ClusterChange.NODE_ADDED, ClusterChange.NODE_TAINTS);
    }
}
