package io.argosy.controllers.deployment;

import static io.argosy.controllers.deployment.Conditions.AVAILABLE;
import static io.argosy.controllers.deployment.Conditions.PROGRESSING;
import static io.argosy.controllers.deployment.Conditions.REPLICA_FAILURE;

import io.argosy.controllers.meta.Timestamps;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentCondition;
import io.fabric8.kubernetes.api.model.apps.DeploymentStatus;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.apps.ReplicaSetCondition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** The status of a deployment: its counts, whether enough of it is available, and whether the rollout moves, is done, or is stuck. */
final class Progress {
    static final String UPDATED = "ReplicaSetUpdated";
    static final String CREATE_FAILED = "ReplicaSetCreateError";
    static final String CREATED = "NewReplicaSetCreated";
    static final String FOUND = "FoundNewReplicaSet";
    static final String DONE = "NewReplicaSetAvailable";
    static final String TIMED_OUT = "ProgressDeadlineExceeded";
    static final String PAUSED = "DeploymentPaused";
    static final String RESUMED = "DeploymentResumed";

    private Progress() {}

    static boolean hasDeadline(Deployment deployment) {
        Integer deadline = deployment.getSpec().getProgressDeadlineSeconds();
        return deadline != null && deadline != Integer.MAX_VALUE;
    }

    static boolean isComplete(Deployment deployment, DeploymentStatus status) {
        int desired = Fenceposts.replicas(deployment);
        return zero(status.getUpdatedReplicas()) == desired
                && zero(status.getReplicas()) == desired
                && zero(status.getAvailableReplicas()) == desired
                && zero(status.getObservedGeneration())
                        >= zero(deployment.getMetadata().getGeneration());
    }

    /** The counts, and whether the deployment has its minimum availability. */
    static DeploymentStatus count(
            Deployment deployment,
            Collection<ReplicaSet> sets,
            Optional<ReplicaSet> newSet,
            Conditions conditions,
            Instant now) {
        int available = ReplicaSets.sum(sets, ReplicaSets::available);
        int unavailable = Math.max(0, ReplicaSets.sum(sets, ReplicaSets::size) - available);
        boolean enough = available
                >= Fenceposts.replicas(deployment) - Fenceposts.of(deployment).maxUnavailable();
        DeploymentCondition availability = enough
                ? Conditions.condition(
                        AVAILABLE, "True", "MinimumReplicasAvailable", "Deployment has minimum availability.", now)
                : Conditions.condition(
                        AVAILABLE,
                        "False",
                        "MinimumReplicasUnavailable",
                        "Deployment does not have minimum availability.",
                        now);
        DeploymentStatus status = new DeploymentStatus();
        status.setObservedGeneration(deployment.getMetadata().getGeneration());
        status.setReplicas(orNull(ReplicaSets.sum(sets, ReplicaSets::actual)));
        status.setUpdatedReplicas(orNull(newSet.map(ReplicaSets::actual).orElse(0)));
        status.setReadyReplicas(orNull(ReplicaSets.sum(sets, ReplicaSets::ready)));
        status.setAvailableReplicas(orNull(available));
        status.setUnavailableReplicas(orNull(unavailable));
        status.setTerminatingReplicas(terminating(sets));
        status.setCollisionCount(
                deployment.getStatus() == null ? null : deployment.getStatus().getCollisionCount());
        status.setConditions(conditions.with(availability).list());
        return status;
    }

    /** The counts and an estimate of the progress since the status was last written. */
    static DeploymentStatus estimate(
            Deployment deployment,
            Collection<ReplicaSet> sets,
            Optional<ReplicaSet> newSet,
            Conditions before,
            Instant now) {
        DeploymentStatus status = count(deployment, sets, newSet, before, now);
        Conditions conditions = new Conditions(status.getConditions());
        if (!hasDeadline(deployment)) {
            conditions = conditions.without(PROGRESSING);
        } else if (!(zero(status.getReplicas()) == zero(status.getUpdatedReplicas())
                && before.hasReason(PROGRESSING, DONE))) {
            conditions = progress(deployment, newSet, status, conditions, now);
        }
        Optional<DeploymentCondition> failure = failure(sets, newSet);
        conditions = failure.isPresent() ? conditions.with(failure.orElseThrow()) : conditions.without(REPLICA_FAILURE);
        status.setConditions(conditions.list());
        return status;
    }

    private static Conditions progress(
            Deployment deployment,
            Optional<ReplicaSet> newSet,
            DeploymentStatus status,
            Conditions conditions,
            Instant now) {
        String subject = newSet.map(set -> "ReplicaSet \"" + set.getMetadata().getName() + "\"")
                .orElse("Deployment \"" + deployment.getMetadata().getName() + "\"");
        if (isComplete(deployment, status)) {
            return conditions.with(
                    Conditions.condition(PROGRESSING, "True", DONE, subject + " has successfully progressed.", now));
        }
        if (hasProgressed(deployment.getStatus(), status)) {
            return conditions.renewed(
                    Conditions.condition(PROGRESSING, "True", UPDATED, subject + " is progressing.", now));
        }
        if (isTimedOut(deployment, conditions, now)) {
            return conditions.with(Conditions.condition(
                    PROGRESSING, "False", TIMED_OUT, subject + " has timed out progressing.", now));
        }
        return conditions;
    }

    /** More new pods, fewer old ones, more ready or more available ones than last time. */
    private static boolean hasProgressed(DeploymentStatus before, DeploymentStatus after) {
        DeploymentStatus was = before == null ? new DeploymentStatus() : before;
        int oldBefore = zero(was.getReplicas()) - zero(was.getUpdatedReplicas());
        int oldAfter = zero(after.getReplicas()) - zero(after.getUpdatedReplicas());
        return zero(after.getUpdatedReplicas()) > zero(was.getUpdatedReplicas())
                || oldAfter < oldBefore
                || zero(after.getReadyReplicas()) > zero(was.getReadyReplicas())
                || zero(after.getAvailableReplicas()) > zero(was.getAvailableReplicas());
    }

    private static boolean isTimedOut(Deployment deployment, Conditions conditions, Instant now) {
        DeploymentCondition progressing = conditions.get(PROGRESSING).orElse(null);
        if (progressing == null || DONE.equals(progressing.getReason())) {
            return false;
        }
        return TIMED_OUT.equals(progressing.getReason())
                || deadline(deployment, progressing).isBefore(now);
    }

    private static Instant deadline(Deployment deployment, DeploymentCondition progressing) {
        return Timestamps.parse(progressing.getLastUpdateTime())
                .plusSeconds(deployment.getSpec().getProgressDeadlineSeconds());
    }

    /** When a rollout that shows no sign of life will have been still for too long. */
    static Optional<Duration> recheck(Deployment deployment, DeploymentStatus status, Instant now) {
        DeploymentCondition progressing =
                new Conditions(status.getConditions()).get(PROGRESSING).orElse(null);
        if (!hasDeadline(deployment)
                || progressing == null
                || isComplete(deployment, status)
                || DONE.equals(progressing.getReason())
                || PAUSED.equals(progressing.getReason())
                || TIMED_OUT.equals(progressing.getReason())) {
            return Optional.empty();
        }
        Duration left = Duration.between(now, deadline(deployment, progressing));
        return Optional.of((left.isNegative() ? Duration.ZERO : left).plusSeconds(1));
    }

    /** The failure of the new set to get its pods, else that of an old one. */
    private static Optional<DeploymentCondition> failure(Collection<ReplicaSet> sets, Optional<ReplicaSet> newSet) {
        List<ReplicaSet> newestFirst = new ArrayList<>(sets);
        newSet.ifPresent(newestFirst::addFirst);
        for (ReplicaSet set : newestFirst) {
            if (set.getStatus() == null) {
                continue;
            }
            for (ReplicaSetCondition condition : set.getStatus().getConditions()) {
                if (condition.getType().equals(REPLICA_FAILURE)) {
                    return Optional.of(new DeploymentCondition(
                            condition.getLastTransitionTime(),
                            condition.getLastTransitionTime(),
                            condition.getMessage(),
                            condition.getReason(),
                            condition.getStatus(),
                            REPLICA_FAILURE));
                }
            }
        }
        return Optional.empty();
    }

    /** Unknown as soon as one set that has been looked at does not say. */
    private static Integer terminating(Collection<ReplicaSet> sets) {
        int sum = 0;
        for (ReplicaSet set : sets) {
            Integer count = set.getStatus() == null ? null : set.getStatus().getTerminatingReplicas();
            if (count != null) {
                sum += count;
            } else if (set.getStatus() != null && zero(set.getStatus().getObservedGeneration()) != 0) {
                return null;
            }
        }
        return sum;
    }

    private static int zero(Integer number) {
        return number == null ? 0 : number;
    }

    private static long zero(Long number) {
        return number == null ? 0 : number;
    }

    /** The API leaves out a count of nothing. */
    private static Integer orNull(int count) {
        return count == 0 ? null : count;
    }
}
