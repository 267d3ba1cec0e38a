package io.argosy.scheduler.plugin;

import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import java.util.List;

/** Compares nodes by how much of them would be in use: spreads pods over nodes with room, or packs them, as the strategy wants. */
public final class Allocation implements Score {
    private final ScoringStrategy strategy;

    public Allocation(ScoringStrategy strategy) {
        this.strategy = strategy;
    }

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

    private long score(PodInfo pod, NodeInfo node) {
        long sum = 0;
        long weights = 0;
        long cpu = node.allocatable().cpu();
        if (cpu > 0 && strategy.cpuWeight() > 0) {
            sum += strategy.cpuWeight() * strategy.score(node.scoredCpu() + pod.scoredCpu(), cpu);
            weights += strategy.cpuWeight();
        }
        long memory = node.allocatable().memory();
        if (memory > 0 && strategy.memoryWeight() > 0) {
            sum += strategy.memoryWeight() * strategy.score(node.scoredMemory() + pod.scoredMemory(), memory);
            weights += strategy.memoryWeight();
        }
        return weights == 0 ? 0 : sum / weights;
    }
}
