package io.argosy.controllers.nodelifecycle;

import io.argosy.controllers.meta.Timestamps;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * The last sign of life of a node, and when we noticed it: the node's own clock is never compared with ours.
 *
 * @param renewed the lease's renewal as written, or empty
 * @param reported the Ready condition's heartbeat as written, or empty
 */
record Heartbeat(String renewed, String reported, Instant noticed) {
    /** How long a node may be silent. */
    static final Duration GRACE = Duration.ofSeconds(50);
    /** How long a new node may take until it first speaks. */
    static final Duration STARTUP_GRACE = Duration.ofSeconds(60);

    /** What is known now, given what was known before; null when the node was not known. */
    static Heartbeat observe(Heartbeat before, Node node, Optional<Lease> lease, Instant now) {
        String renewed = lease.map(Lease::getSpec)
                .map(spec -> spec.getRenewTime())
                .map(Object::toString)
                .orElse("");
        Optional<NodeCondition> ready = NodeConditions.ready(node);
        String reported = ready.map(NodeCondition::getLastHeartbeatTime).orElse("");
        if (before != null && before.renewed.equals(renewed) && Objects.equals(before.reported, reported)) {
            return before;
        }
        Instant noticed = now;
        if (before == null && ready.isEmpty() && renewed.isEmpty()) {
            Instant created = Timestamps.parse(node.getMetadata().getCreationTimestamp());
            noticed = created == null ? now : created;
        }
        return new Heartbeat(renewed, reported, noticed);
    }

    /** How long the node may still be silent; not positive when it is lost. */
    Duration left(Node node, Instant now) {
        Duration grace = NodeConditions.ready(node).isEmpty() ? STARTUP_GRACE : GRACE;
        return Duration.between(now, noticed.plus(grace));
    }
}
