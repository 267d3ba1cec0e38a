package io.argosy.controllers.statefulset;

import io.argosy.controllers.pod.Pods;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetStatus;
import java.time.Instant;
import java.util.Collection;

/** The status of a stateful set, counted from its pods. */
final class SetStatus {
    private SetStatus() {}

    static StatefulSetStatus of(
            StatefulSet set, Collection<Pod> pods, SetPlan.Revisions revisions, Integer collisionCount, Instant now) {
        int minReady =
                set.getSpec().getMinReadySeconds() == null ? 0 : set.getSpec().getMinReadySeconds();
        int ready = 0;
        int available = 0;
        int current = 0;
        int updated = 0;
        for (Pod pod : pods) {
            if (Ordinals.isReady(pod)) {
                ready++;
                available += Pods.isAvailable(pod, minReady, now) ? 1 : 0;
            }
            if (!Pods.isDeleting(pod)) {
                current += revisions.current().equals(Ordinals.revision(pod)) ? 1 : 0;
                updated += revisions.update().equals(Ordinals.revision(pod)) ? 1 : 0;
            }
        }
        boolean rolling = set.getSpec().getUpdateStrategy() == null
                || !"OnDelete".equals(set.getSpec().getUpdateStrategy().getType());
        boolean done = rolling
                && updated == Ordinals.replicas(set)
                && ready == Ordinals.replicas(set)
                && pods.size() == Ordinals.replicas(set);
        StatefulSetStatus before = set.getStatus() == null ? new StatefulSetStatus() : set.getStatus();
        StatefulSetStatus status = new StatefulSetStatus();
        status.setObservedGeneration(set.getMetadata().getGeneration());
        status.setReplicas(pods.size());
        status.setReadyReplicas(orNull(ready));
        status.setAvailableReplicas(available);
        status.setCurrentReplicas(orNull(done ? updated : current));
        status.setUpdatedReplicas(orNull(updated));
        status.setCurrentRevision(done ? revisions.update() : revisions.current());
        status.setUpdateRevision(revisions.update());
        status.setCollisionCount(collisionCount == null ? 0 : collisionCount);
        status.setConditions(before.getConditions());
        return status;
    }

    private static Integer orNull(int count) {
        return count == 0 ? null : count;
    }
}
