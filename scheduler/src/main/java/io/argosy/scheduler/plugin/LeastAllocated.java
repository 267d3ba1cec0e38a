package io.argosy.scheduler.plugin;

import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;

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
    public boolean concerns(PodInfo pod) {
        return true;
    }

    @Override
    public long score(PodInfo pod, NodeInfo node) {
        long cpu = free(node.allocatable().cpu(), node.scoredCpu() + pod.scoredCpu());
        long memory = free(node.allocatable().memory(), node.scoredMemory() + pod.scoredMemory());
        return (cpu + memory) / 2;
    }

    private static long free(long all, long used) {
        return all == 0 || used > all ? 0 : (all - used) * BEST / all;
    }
}
