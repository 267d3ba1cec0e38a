package io.argosy.controllers.replicaset;

import io.argosy.controllers.pod.DeletionOrder;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/** How far the pods are from the number asked for: how many to create, or which to delete. */
public record ReplicaDiff(int create, List<Pod> delete) {
    /** As many as one step may create or delete; what is left waits for the next step. */
    static final int BURST = 500;

    /** {@code related} are the pods of all siblings under the same parent, which count when pods crowd on a node. */
    public static ReplicaDiff of(int desired, List<Pod> active, Collection<Pod> related, Instant now) {
        int surplus = active.size() - desired;
        if (surplus > 0) {
            return new ReplicaDiff(0, DeletionOrder.choose(active, related, Math.min(surplus, BURST), now));
        }
        return new ReplicaDiff(Math.min(-surplus, BURST), List.of());
    }

    public boolean isEmpty() {
        return create == 0 && delete.isEmpty();
    }
}
