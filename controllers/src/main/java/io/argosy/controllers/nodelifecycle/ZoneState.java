package io.argosy.controllers.nodelifecycle;

import io.argosy.controllers.node.Nodes;
import io.fabric8.kubernetes.api.model.Node;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * How a zone fares, and so how fast pods are driven from its lost nodes: when most of a zone falls silent at once then it is more
 * likely the network than the nodes.
 */
enum ZoneState {
    NORMAL,
    PARTIAL_DISRUPTION,
    FULL_DISRUPTION;

    private static final double RATE = 0.1;
    private static final double SLOW_RATE = 0.01;
    private static final double UNHEALTHY_SHARE = 0.55;
    private static final int LARGE = 50;

    static ZoneState of(int ready, int notReady) {
        if (ready == 0 && notReady > 0) {
            return FULL_DISRUPTION;
        }
        if (notReady > 2 && (double) notReady / (notReady + ready) >= UNHEALTHY_SHARE) {
            return PARTIAL_DISRUPTION;
        }
        return NORMAL;
    }

    /** Nodes per second whose pods may be driven out, in a zone of this size. */
    double rate(int nodes) {
        return switch (this) {
            case NORMAL, FULL_DISRUPTION -> RATE;
            case PARTIAL_DISRUPTION -> nodes > LARGE ? SLOW_RATE : 0;
        };
    }

    /** The rate for one zone among all nodes; when no node of the whole cluster is ready, nobody is driven out. */
    static double rate(String zone, Collection<Node> nodes) {
        Map<String, int[]> counts = new TreeMap<>();
        for (Node node : nodes) {
            int[] count = counts.computeIfAbsent(zoneOf(node), name -> new int[2]);
            count[Nodes.isReady(node) ? 0 : 1]++;
        }
        if (counts.values().stream().allMatch(count -> of(count[0], count[1]) == FULL_DISRUPTION)) {
            return 0;
        }
        int[] count = counts.getOrDefault(zone, new int[2]);
        return of(count[0], count[1]).rate(count[0] + count[1]);
    }

    /** True when not one node of the cluster is ready: then it is us who are cut off. */
    static boolean allLost(Collection<Node> nodes) {
        return nodes.stream().noneMatch(Nodes::isReady);
    }

    static String zoneOf(Node node) {
        Map<String, String> labels =
                Objects.requireNonNullElse(node.getMetadata().getLabels(), Map.of());
        return labels.getOrDefault("topology.kubernetes.io/region", "") + "/"
                + labels.getOrDefault("topology.kubernetes.io/zone", "");
    }
}
