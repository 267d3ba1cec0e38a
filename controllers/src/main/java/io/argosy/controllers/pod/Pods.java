package io.argosy.controllers.pod;

import io.argosy.controllers.meta.Timestamps;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;

/** What a controller asks about a pod: is it alive, ready, available, and when will it be. */
public final class Pods {
    private Pods() {}

    public static String phase(Pod pod) {
        String phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
        return phase == null ? "" : phase;
    }

    /** Finished, for good. */
    public static boolean isTerminal(Pod pod) {
        String phase = phase(pod);
        return phase.equals("Succeeded") || phase.equals("Failed");
    }

    public static boolean isDeleting(Pod pod) {
        return pod.getMetadata().getDeletionTimestamp() != null;
    }

    /** Counts as a replica: not finished and not on its way out. */
    public static boolean isActive(Pod pod) {
        return !isTerminal(pod) && !isDeleting(pod);
    }

    /** On its way out, but still running. */
    public static boolean isTerminating(Pod pod) {
        return !isTerminal(pod) && isDeleting(pod);
    }

    public static String nodeName(Pod pod) {
        String node = pod.getSpec() == null ? null : pod.getSpec().getNodeName();
        return node == null ? "" : node;
    }

    public static Optional<PodCondition> condition(Pod pod, String type) {
        if (pod.getStatus() == null) {
            return Optional.empty();
        }
        for (PodCondition condition : pod.getStatus().getConditions()) {
            if (condition.getType().equals(type)) {
                return Optional.of(condition);
            }
        }
        return Optional.empty();
    }

    public static boolean isReady(Pod pod) {
        return condition(pod, "Ready")
                .map(ready -> "True".equals(ready.getStatus()))
                .orElse(false);
    }

    /** Since when the pod has been ready; null when it is not, or does not say. */
    public static Instant readySince(Pod pod) {
        return isReady(pod)
                ? Timestamps.parse(condition(pod, "Ready").orElseThrow().getLastTransitionTime())
                : null;
    }

    /** Ready, and has been for as long as asked. */
    public static boolean isAvailable(Pod pod, int minReadySeconds, Instant now) {
        if (!isReady(pod)) {
            return false;
        }
        if (minReadySeconds == 0) {
            return true;
        }
        Instant since = readySince(pod);
        return since != null && !since.plusSeconds(minReadySeconds).isAfter(now);
    }

    /** How long until the next ready pod becomes available; empty when none is on its way. */
    public static Optional<Duration> nextAvailable(Collection<Pod> pods, int minReadySeconds, Instant now) {
        Duration shortest = null;
        for (Pod pod : pods) {
            Instant since = readySince(pod);
            if (since == null || isAvailable(pod, minReadySeconds, now)) {
                continue;
            }
            Duration left = Duration.between(now, since.plusSeconds(minReadySeconds));
            if (shortest == null || left.compareTo(shortest) < 0) {
                shortest = left;
            }
        }
        return Optional.ofNullable(shortest);
    }
}
