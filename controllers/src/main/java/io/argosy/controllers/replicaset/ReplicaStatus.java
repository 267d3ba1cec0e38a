package io.argosy.controllers.replicaset;

import io.argosy.controllers.meta.Timestamps;
import io.argosy.controllers.pod.Pods;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What is reported about a set of replicas; a ReplicaSet and a ReplicationController say the same in their own classes. */
public record ReplicaStatus(
        int replicas,
        int fullyLabeled,
        int ready,
        int available,
        int terminating,
        long observedGeneration,
        List<Condition> conditions) {

    private static final String FAILURE = "ReplicaFailure";

    /** A condition of the replicas; there is one type, and users may have added others. */
    public record Condition(String type, String status, String reason, String message, String lastTransitionTime) {}

    /** What the status is counted from. */
    public record Observed(
            int desired,
            int minReadySeconds,
            Map<String, String> templateLabels,
            List<Pod> active,
            int terminating,
            long generation) {}

    public static ReplicaStatus of(Observed observed, List<Condition> before, Exception failure, Instant now) {
        int fullyLabeled = 0;
        int ready = 0;
        int available = 0;
        for (Pod pod : observed.active()) {
            Map<String, String> labels = pod.getMetadata().getLabels();
            if (labels != null
                    && labels.entrySet().containsAll(observed.templateLabels().entrySet())) {
                fullyLabeled++;
            }
            if (Pods.isReady(pod)) {
                ready++;
                if (Pods.isAvailable(pod, observed.minReadySeconds(), now)) {
                    available++;
                }
            }
        }
        return new ReplicaStatus(
                observed.active().size(),
                fullyLabeled,
                ready,
                available,
                observed.terminating(),
                observed.generation(),
                conditions(observed, before, failure, now));
    }

    private static List<Condition> conditions(
            Observed observed, List<Condition> before, Exception failure, Instant now) {
        boolean reported =
                before.stream().anyMatch(condition -> condition.type().equals(FAILURE));
        if ((failure != null) == reported) {
            return List.copyOf(before);
        }
        List<Condition> after = new ArrayList<>(before);
        if (failure == null) {
            after.removeIf(condition -> condition.type().equals(FAILURE));
        } else {
            String reason = observed.active().size() < observed.desired() ? "FailedCreate" : "FailedDelete";
            after.add(new Condition(FAILURE, "True", reason, failure.getMessage(), Timestamps.format(now)));
        }
        return List.copyOf(after);
    }
}
