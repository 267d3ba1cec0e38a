package io.argosy.controllers.endpointslice;

import io.argosy.controllers.node.Nodes;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/** How much of the cluster's processors stands in each zone; that much of a service's traffic is taken to come from there. */
final class ZoneShares {
    private static final Set<String> NOT_FOR_WORK =
            Set.of("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master");

    private ZoneShares() {}

    /** Each zone's part of one; none if there are not two zones, or if a node does not say its zone or its processors. */
    static NavigableMap<String, Double> of(Collection<Node> nodes) {
        NavigableMap<String, Double> processors = new TreeMap<>();
        for (Node node : nodes) {
            Map<String, String> labels = labels(node);
            if (!Nodes.isReady(node) || NOT_FOR_WORK.stream().anyMatch(labels::containsKey)) {
                continue;
            }
            String zone = labels.getOrDefault(DesiredEndpoints.ZONE, "");
            BigDecimal cpu = processors(node);
            if (zone.isEmpty() || cpu.signum() == 0) {
                return new TreeMap<>();
            }
            processors.merge(zone, cpu.doubleValue(), Double::sum);
        }
        if (processors.size() < 2) {
            return new TreeMap<>();
        }
        double all =
                processors.values().stream().mapToDouble(Double::doubleValue).sum();
        processors.replaceAll((zone, cpu) -> cpu / all);
        return processors;
    }

    static BigDecimal processors(Node node) {
        Quantity cpu = node.getStatus() == null || node.getStatus().getAllocatable() == null
                ? null
                : node.getStatus().getAllocatable().get("cpu");
        return cpu == null ? BigDecimal.ZERO : cpu.getNumericalAmount();
    }

    private static Map<String, String> labels(Node node) {
        return node.getMetadata().getLabels() == null
                ? Map.of()
                : node.getMetadata().getLabels();
    }
}
