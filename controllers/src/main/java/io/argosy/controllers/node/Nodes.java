package io.argosy.controllers.node;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import java.util.Optional;

/** What a node says of itself. */
public final class Nodes {
    private Nodes() {}

    public static Optional<NodeCondition> condition(Node node, String type) {
        if (node.getStatus() == null) {
            return Optional.empty();
        }
        return node.getStatus().getConditions().stream()
                .filter(condition -> condition.getType().equals(type))
                .findFirst();
    }

    public static boolean isReady(Node node) {
        return condition(node, "Ready")
                .filter(ready -> ready.getStatus().equals("True"))
                .isPresent();
    }
}
