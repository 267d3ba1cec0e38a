package io.argosy.node.agent.self;

import io.argosy.client.event.EventRecorder;
import io.argosy.client.event.EventRecorder.Type;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Tells by events what changes about the node, in kubelet's words: people find them with kubectl describe node. Used by one thread at a time. */
final class NodeNews {
    private static final Map<String, String> GOOD = Map.of(
            "MemoryPressure", "NodeHasSufficientMemory",
            "DiskPressure", "NodeHasNoDiskPressure",
            "PIDPressure", "NodeHasSufficientPID",
            "Ready", "NodeReady");
    private static final Map<String, String> BAD = Map.of(
            "MemoryPressure", "NodeHasInsufficientMemory",
            "DiskPressure", "NodeHasDiskPressure",
            "PIDPressure", "NodeHasInsufficientPID",
            "Ready", "NodeNotReady");

    private final String name;
    private final EventRecorder events;
    private final ObjectReference about;
    private boolean begun;
    private boolean unschedulable;

    NodeNews(String name, EventRecorder events) {
        this.name = name;
        this.events = events;
        about = new ObjectReferenceBuilder()
                .withKind("Node")
                .withName(name)
                .withUid(name)
                .build();
    }

    /** The node was found, or made, in this state. */
    void begin(Node node, String bootId) {
        if (!begun) {
            events.event(about, Type.Normal, "Starting", "Starting kubelet.");
        }
        begun = true;
        unschedulable = isUnschedulable(node);
        String before = Optional.ofNullable(node.getStatus())
                .map(NodeStatus::getNodeInfo)
                .map(info -> info.getBootID())
                .orElse("");
        if (!before.isEmpty() && !before.equals(bootId)) {
            events.event(about, Type.Warning, "Rebooted", "Node " + name + " has been rebooted, boot id: " + bootId);
        }
    }

    /** Somebody may have changed whether pods are sent here. */
    void look(Node node) {
        if (isUnschedulable(node) != unschedulable) {
            unschedulable = !unschedulable;
            tell(unschedulable ? "NodeNotSchedulable" : "NodeSchedulable");
        }
    }

    /** The node was told to be in another state than before, or for the first time. */
    void told(List<NodeCondition> before, List<NodeCondition> now) {
        for (NodeCondition condition : now) {
            boolean same = before.stream()
                    .anyMatch(old -> old.getType().equals(condition.getType())
                            && old.getStatus().equals(condition.getStatus()));
            if (!same) {
                boolean good = condition.getStatus().equals(condition.getType().equals("Ready") ? "True" : "False");
                tell((good ? GOOD : BAD).get(condition.getType()));
            }
        }
    }

    private void tell(String reason) {
        events.event(about, Type.Normal, reason, "Node " + name + " status is now: " + reason);
    }

    private static boolean isUnschedulable(Node node) {
        return node.getSpec() != null && Boolean.TRUE.equals(node.getSpec().getUnschedulable());
    }
}
