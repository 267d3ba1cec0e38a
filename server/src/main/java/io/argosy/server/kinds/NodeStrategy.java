package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.server.registry.Strategy;

/** Nodes: they register themselves, status and all. */
final class NodeStrategy implements Strategy {
    @Override
    public boolean keepsStatusOnCreate() {
        return true;
    }

    @Override
    public void applyDefaults(ObjectNode node) {
        Trees.child(node, "spec");
    }
}
