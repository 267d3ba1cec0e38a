package io.argosy.controllers.disruption;

import io.argosy.controllers.deployment.Fenceposts;
import io.argosy.controllers.meta.Timestamps;
import io.argosy.controllers.pod.Pods;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetSpec;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * How many of a budget's pods may go now. Pods that an eviction has spent count as gone, until they are, or until it is clear that
 * they stay.
 *
 * @param overdue pods that were to be deleted and were not; they count again
 * @param recheck when the next promised deletion becomes overdue
 */
public record BudgetDecision(PodDisruptionBudgetStatus status, List<Pod> overdue, Optional<Duration> recheck) {
    /** How long after an eviction a pod must have been told to end. */
    static final Duration DELETION_TIMEOUT = Duration.ofMinutes(2);

    private static final String ALLOWED = "DisruptionAllowed";

    /** How many pods there should be, and how many of them healthy. */
    public record Expectation(int pods, int healthy) {}

    /** Whether the budget is a share, or what may be missing, so that the number of pods asked for by their owners matters. */
    public static boolean needsScale(PodDisruptionBudgetSpec spec) {
        return spec.getMaxUnavailable() != null || isPercent(spec.getMinAvailable());
    }

    /** Shares are rounded up, both of what must stay and of what may be missing. */
    public static Expectation expect(PodDisruptionBudgetSpec spec, int count) {
        if (spec.getMaxUnavailable() != null) {
            return new Expectation(
                    count, Math.max(0, count - Fenceposts.scaled(spec.getMaxUnavailable(), count, true)));
        }
        return new Expectation(count, Fenceposts.scaled(spec.getMinAvailable(), count, true));
    }

    public static BudgetDecision decide(PodDisruptionBudget budget, List<Pod> pods, Expectation expected, Instant now) {
        Map<String, String> spent =
                budget.getStatus() == null || budget.getStatus().getDisruptedPods() == null
                        ? Map.of()
                        : budget.getStatus().getDisruptedPods();
        Map<String, String> pending = new TreeMap<>();
        List<Pod> overdue = new ArrayList<>();
        Duration recheck = null;
        int healthy = 0;
        for (Pod pod : pods) {
            if (Pods.isDeleting(pod)) {
                continue;
            }
            String name = pod.getMetadata().getName();
            Instant promised = Timestamps.parse(spent.get(name));
            if (promised != null && promised.plus(DELETION_TIMEOUT).isAfter(now)) {
                pending.put(name, spent.get(name));
                Duration left = Duration.between(now, promised.plus(DELETION_TIMEOUT));
                recheck = recheck == null || left.compareTo(recheck) < 0 ? left : recheck;
                continue;
            }
            if (promised != null) {
                overdue.add(pod);
            }
            healthy += Pods.isReady(pod) ? 1 : 0;
        }
        int allowed = expected.pods() <= 0 ? 0 : Math.max(0, healthy - expected.healthy());
        PodDisruptionBudgetStatus status = new PodDisruptionBudgetStatus();
        status.setCurrentHealthy(healthy);
        status.setDesiredHealthy(expected.healthy());
        status.setExpectedPods(expected.pods());
        status.setDisruptionsAllowed(allowed);
        status.setDisruptedPods(pending);
        status.setObservedGeneration(budget.getMetadata().getGeneration());
        status.setConditions(conditions(
                budget,
                budget.getMetadata().getGeneration(),
                allowed > 0 ? "True" : "False",
                allowed > 0 ? "SufficientPods" : "InsufficientPods",
                "",
                now));
        return new BudgetDecision(status, overdue, Optional.ofNullable(recheck));
    }

    /** When nobody can tell how many pods there should be, none may go. */
    public static PodDisruptionBudgetStatus failed(PodDisruptionBudget budget, String why, Instant now) {
        PodDisruptionBudgetStatus before =
                budget.getStatus() == null ? new PodDisruptionBudgetStatus() : budget.getStatus();
        PodDisruptionBudgetStatus status = new PodDisruptionBudgetStatus();
        status.setCurrentHealthy(orZero(before.getCurrentHealthy()));
        status.setDesiredHealthy(orZero(before.getDesiredHealthy()));
        status.setExpectedPods(orZero(before.getExpectedPods()));
        status.setDisruptionsAllowed(0);
        status.setDisruptedPods(before.getDisruptedPods());
        status.setObservedGeneration(before.getObservedGeneration()); // nothing was worked out for a newer one
        status.setConditions(conditions(budget, before.getObservedGeneration(), "False", "SyncFailed", why, now));
        return status;
    }

    private static List<Condition> conditions(
            PodDisruptionBudget budget, Long generation, String status, String reason, String message, Instant now) {
        List<Condition> conditions = new ArrayList<>();
        String since = Timestamps.format(now);
        if (budget.getStatus() != null) {
            for (Condition before : budget.getStatus().getConditions()) {
                if (!before.getType().equals(ALLOWED)) {
                    conditions.add(before);
                } else if (before.getStatus().equals(status)) {
                    since = before.getLastTransitionTime();
                }
            }
        }
        conditions.add(new ConditionBuilder()
                .withType(ALLOWED)
                .withStatus(status)
                .withReason(reason)
                .withMessage(message)
                .withLastTransitionTime(since)
                .withObservedGeneration(generation)
                .build());
        return conditions;
    }

    private static boolean isPercent(IntOrString value) {
        return value != null && value.getIntVal() == null;
    }

    private static int orZero(Integer number) {
        return number == null ? 0 : number;
    }
}
