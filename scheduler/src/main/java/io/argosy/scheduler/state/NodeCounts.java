package io.argosy.scheduler.state;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How many of some pods stand on each node, and in each zone, rack or whatever label somebody asked about. Kept up to date pod by
 * pod, so that asking costs nothing however many pods there are.
 */
public final class NodeCounts {
    private final List<NodeInfo> nodes;
    private int[] bySlot = new int[16];
    private final Map<String, Map<String, Integer>> byTopology = new HashMap<>();
    private int total;

    NodeCounts(List<NodeInfo> nodes) {
        this.nodes = nodes;
    }

    public int on(NodeInfo node) {
        return node.slot() < bySlot.length ? bySlot[node.slot()] : 0;
    }

    /** The counts by value of a node label; values without any pod are not there. */
    public Map<String, Integer> by(String topologyKey) {
        return byTopology.computeIfAbsent(topologyKey, this::summed);
    }

    boolean isEmpty() {
        return total == 0;
    }

    void adjust(NodeInfo node, int by) {
        int slot = node.slot();
        if (slot >= bySlot.length) {
            bySlot = Arrays.copyOf(bySlot, Math.max(slot + 1, bySlot.length * 2));
        }
        bySlot[slot] += by;
        total += by;
        if (node.node() != null) {
            byTopology.forEach((key, counts) -> count(counts, node.labels().get(key), by));
        }
    }

    /** Nodes came, went or changed their labels. */
    void forgetTopologies() {
        byTopology.clear();
    }

    private Map<String, Integer> summed(String key) {
        Map<String, Integer> counts = new HashMap<>();
        for (NodeInfo node : nodes) {
            int on = on(node);
            if (on != 0) {
                count(counts, node.labels().get(key), on);
            }
        }
        return counts;
    }

    private static void count(Map<String, Integer> counts, String value, int by) {
        if (value != null) {
            counts.merge(value, by, (before, more) -> before + more == 0 ? null : before + more);
        }
    }
}
