package io.argosy.controllers.volume.attachdetach;

import io.argosy.api.names.CsiVolume;
import io.argosy.controllers.node.Nodes;
import io.argosy.controllers.volume.Claims;
import io.fabric8.kubernetes.api.model.AttachedVolume;
import io.fabric8.kubernetes.api.model.Node;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What of a node matters to its attachments. Volumes are known by the names of their attachments.
 *
 * @param managed whether the node leaves attaching to the control plane
 * @param outOfService whether somebody has said that the node is down and will not come back as it was
 * @param inUse what the node says it has mounted, or is about to
 * @param reported what the node's status says is attached: attachments and the volumes' names there
 */
record NodeState(
        String name,
        boolean exists,
        boolean managed,
        boolean ready,
        boolean outOfService,
        Set<String> inUse,
        Map<String, String> reported) {
    private static final String MANAGED = "volumes.kubernetes.io/controller-managed-attach-detach";
    private static final String OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";

    static NodeState of(Node node) {
        String name = node.getMetadata().getName();
        return new NodeState(
                name,
                true,
                Claims.isAnnotated(node, MANAGED),
                Nodes.isReady(node),
                node.getSpec() != null
                        && node.getSpec().getTaints().stream().anyMatch(taint -> OUT_OF_SERVICE.equals(taint.getKey())),
                inUse(node),
                reported(node));
    }

    /** A node that is gone: what it has mounted cannot be known. */
    static NodeState gone(String name) {
        return new NodeState(name, false, true, false, false, Set.of(), Map.of());
    }

    static Set<String> inUse(Node node) {
        List<String> volumes =
                node.getStatus() == null ? null : node.getStatus().getVolumesInUse();
        Set<String> attachments = new HashSet<>();
        if (volumes != null) {
            volumes.forEach(volume -> CsiVolume.named(volume)
                    .ifPresent(csi ->
                            attachments.add(csi.attachmentTo(node.getMetadata().getName()))));
        }
        return attachments;
    }

    private static Map<String, String> reported(Node node) {
        List<AttachedVolume> volumes =
                node.getStatus() == null ? null : node.getStatus().getVolumesAttached();
        Map<String, String> attachments = new TreeMap<>();
        if (volumes != null) {
            volumes.forEach(volume -> CsiVolume.named(volume.getName())
                    .ifPresent(csi ->
                            attachments.put(csi.attachmentTo(node.getMetadata().getName()), volume.getName())));
        }
        return attachments;
    }
}
