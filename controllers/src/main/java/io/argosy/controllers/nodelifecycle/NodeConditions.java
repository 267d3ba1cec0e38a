package io.argosy.controllers.nodelifecycle;

import io.argosy.controllers.meta.Timestamps;
import io.argosy.controllers.node.Nodes;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeConditionBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What is known about a node, and what becomes of it when the node falls silent. */
final class NodeConditions {
    private static final List<String> REPORTED = List.of("Ready", "MemoryPressure", "DiskPressure", "PIDPressure");

    private NodeConditions() {}

    static Optional<NodeCondition> ready(Node node) {
        return Nodes.condition(node, "Ready");
    }

    /** True, False or Unknown; a node that never said is unknown. */
    static String readiness(Node node) {
        return ready(node).map(NodeCondition::getStatus).orElse("Unknown");
    }

    /** The conditions to write for a silent node; none when all has been said. */
    static List<NodeCondition> unknown(Node node, Instant now) {
        List<NodeCondition> changed = new ArrayList<>();
        String time = Timestamps.format(now);
        for (String type : REPORTED) {
            NodeCondition before = Nodes.condition(node, type).orElse(null);
            if (before == null) {
                changed.add(new NodeConditionBuilder()
                        .withType(type)
                        .withStatus("Unknown")
                        .withReason("NodeStatusNeverUpdated")
                        .withMessage("Kubelet never posted node status.")
                        .withLastHeartbeatTime(node.getMetadata().getCreationTimestamp())
                        .withLastTransitionTime(time)
                        .build());
            } else if (!before.getStatus().equals("Unknown")) {
                changed.add(new NodeConditionBuilder(before)
                        .withStatus("Unknown")
                        .withReason("NodeStatusUnknown")
                        .withMessage("Kubelet stopped posting node status.")
                        .withLastTransitionTime(time)
                        .build());
            }
        }
        return changed;
    }
}
