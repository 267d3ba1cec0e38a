package io.argosy.scheduler.plugin;

import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import io.argosy.scheduler.state.Resource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Checks that what a pod asks for is still free on the node. */
public final class NodeResourcesFit implements Filter {
    @Override
    public String name() {
        return "NodeResourcesFit";
    }

    @Override
    public Check prepare(PodInfo pod, ClusterState cluster) {
        Resource wanted = pod.requests();
        return node -> reject(wanted, node);
    }

    @Override
    public Set<ClusterEvent.Kind> wakesOn() {
        return EnumSet.of(ClusterEvent.Kind.NODE_ADDED, ClusterEvent.Kind.NODE_ALLOCATABLE, ClusterEvent.Kind.POD_GONE);
    }

    /** A node that would be too small even if it were empty is no help. */
    @Override
    public boolean helps(PodInfo pod, ClusterEvent event, ClusterState cluster) {
        if (event instanceof ClusterEvent.OfNode(var kind, var node)) {
            Rejection rejection = reject(pod.requests(), node);
            return rejection == null || !rejection.isFinal();
        }
        return true;
    }

    private static Rejection reject(Resource wanted, NodeInfo node) {
        Resource all = node.allocatable();
        boolean fits = node.podCount() < node.allowedPods()
                && (wanted.cpu() == 0 || wanted.cpu() <= all.cpu() - node.cpu())
                && (wanted.memory() == 0 || wanted.memory() <= all.memory() - node.memory())
                && (wanted.ephemeralStorage() == 0
                        || wanted.ephemeralStorage() <= all.ephemeralStorage() - node.ephemeralStorage())
                && wanted.others().isEmpty();
        return fits ? null : explain(wanted, all, node);
    }

    private static Rejection explain(Resource wanted, Resource all, NodeInfo node) {
        List<String> reasons = new ArrayList<>(2);
        if (node.podCount() >= node.allowedPods()) {
            reasons.add("Too many pods");
        }
        boolean never = lacks("cpu", wanted.cpu(), all.cpu(), node.cpu(), reasons);
        never |= lacks("memory", wanted.memory(), all.memory(), node.memory(), reasons);
        never |= lacks(
                "ephemeral-storage",
                wanted.ephemeralStorage(),
                all.ephemeralStorage(),
                node.ephemeralStorage(),
                reasons);
        for (Map.Entry<String, Long> other : wanted.others().entrySet()) {
            String resource = other.getKey();
            long available = all.others().getOrDefault(resource, 0L);
            never |= lacks(resource, other.getValue(), available, node.other(resource), reasons);
        }
        return reasons.isEmpty() ? null : new Rejection(reasons, never);
    }

    /** True if the node would be too small even when empty. */
    private static boolean lacks(String resource, long wanted, long all, long used, List<String> reasons) {
        if (wanted == 0 || wanted <= all - used) {
            return false;
        }
        reasons.add("Insufficient " + resource);
        return wanted > all;
    }
}
