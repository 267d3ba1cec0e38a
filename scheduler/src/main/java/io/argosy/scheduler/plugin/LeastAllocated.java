package io.argosy.scheduler.plugin;

import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import java.util.List;

/** Prefers nodes with the most room left, so that load spreads. */
public final class LeastAllocated implements Score {
    @Override
    public String name() {
        return "NodeResourcesFit";
    }

    @Override
    public int weight() {
        return 1;
    }

    @Override
    public Rating prepare(PodInfo pod, ClusterState cluster, List<NodeInfo> candidates) {
        return node -> score(pod, node);
    }

    private static long score(PodInfo pod, NodeInfo node) {
        long cpu = node.allocatable().cpu();
        long memory = node.allocatable().memory();
        int known = (cpu == 0 ? 0 : 1) + (memory == 0 ? 0 : 1);
        return known == 0
                ? 0
                : (free(cpu, node.scoredCpu() + pod.scoredCpu())
                                + free(memory, node.scoredMemory() + pod.scoredMemory()))
                        / known;
    }

    private static long free(long all, long used) {
        return all == 0 || used > all ? 0 : (all - used) * BEST / all;
    }
}
