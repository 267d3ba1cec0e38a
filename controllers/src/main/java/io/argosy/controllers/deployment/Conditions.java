package io.argosy.controllers.deployment;

import io.argosy.controllers.meta.Timestamps;
import io.fabric8.kubernetes.api.model.apps.DeploymentCondition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The conditions of a deployment; a change of status moves the transition time, a change of reason only the update time. */
record Conditions(List<DeploymentCondition> list) {
    static final String PROGRESSING = "Progressing";
    static final String AVAILABLE = "Available";
    static final String REPLICA_FAILURE = "ReplicaFailure";

    static DeploymentCondition condition(String type, String status, String reason, String message, Instant now) {
        String time = Timestamps.format(now);
        return new DeploymentCondition(time, time, message, reason, status, type);
    }

    Optional<DeploymentCondition> get(String type) {
        return list.stream()
                .filter(condition -> condition.getType().equals(type))
                .findFirst();
    }

    boolean hasReason(String type, String reason) {
        return get(type).map(condition -> reason.equals(condition.getReason())).orElse(false);
    }

    /** Says nothing new when status and reason are as they were. */
    Conditions with(DeploymentCondition condition) {
        DeploymentCondition before = get(condition.getType()).orElse(null);
        if (before != null && before.getStatus().equals(condition.getStatus())) {
            if (condition.getReason().equals(before.getReason())) {
                return this;
            }
            return replaced(sinceBefore(condition, before));
        }
        return replaced(condition);
    }

    /** Progress is news even when status and reason stay: the update time moves. */
    Conditions renewed(DeploymentCondition condition) {
        DeploymentCondition before = get(condition.getType()).orElse(null);
        boolean stays = before != null
                && before.getStatus().equals("True")
                && condition.getStatus().equals("True");
        return replaced(stays ? sinceBefore(condition, before) : condition);
    }

    Conditions without(String type) {
        return new Conditions(list.stream()
                .filter(condition -> !condition.getType().equals(type))
                .toList());
    }

    private Conditions replaced(DeploymentCondition condition) {
        List<DeploymentCondition> after = new ArrayList<>(without(condition.getType()).list);
        after.add(condition);
        return new Conditions(List.copyOf(after));
    }

    private static DeploymentCondition sinceBefore(DeploymentCondition condition, DeploymentCondition before) {
        return new DeploymentCondition(
                before.getLastTransitionTime(),
                condition.getLastUpdateTime(),
                condition.getMessage(),
                condition.getReason(),
                condition.getStatus(),
                condition.getType());
    }
}
