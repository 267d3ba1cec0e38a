package io.argosy.scheduler.plugin;

import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;

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

    @Override
    public boolean concerns(PodInfo pod) {
        return pod.requests().cpu() > 0 || pod.requests().memory() > 0;
    }

    @Override
    public long score(PodInfo pod, NodeInfo node) {
        double cpu = used(node.allocatable().cpu(), node.cpu() + pod.requests().cpu());
        double memory =
                used(node.allocatable().memory(), node.memory() + pod.requests().memory());
        return (long) ((1 - Math.abs(cpu - memory) / 2) * BEST);
    }

    private static double used(long all, long used) {
        return all == 0 ? 1 : Math.min(1, (double) used / all);
    }
}
