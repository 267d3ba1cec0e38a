package io.argosy.scheduler.plugin;

import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import java.util.List;

/** Prefers nodes where CPU and memory would be used in like measure, so that neither is left over. */
public final class BalancedAllocation implements Score {
    @Override
    public String name() {
        return "NodeResourcesBalancedAllocation";
    }

    @Override
    public int weight() {
        return 1;
    }

    /** Pods that ask for nothing would otherwise gather on the one best balanced node. */
    @Override
    public Rating prepare(PodInfo pod, ClusterState cluster, List<NodeInfo> candidates) {
        return pod.requests().cpu() == 0 && pod.requests().memory() == 0 ? null : node -> score(pod, node);
    }

    private static long score(PodInfo pod, NodeInfo node) {
        long cpu = node.allocatable().cpu();
        long memory = node.allocatable().memory();
        if (cpu == 0 || memory == 0) {
            return BEST;
        }
        double cpuUsed = Math.min(1, (double) (node.cpu() + pod.requests().cpu()) / cpu);
        double memoryUsed = Math.min(1, (double) (node.memory() + pod.requests().memory()) / memory);
        return (long) ((1 - Math.abs(cpuUsed - memoryUsed) / 2) * BEST);
    }
}
