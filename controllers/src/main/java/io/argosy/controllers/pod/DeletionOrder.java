package io.argosy.controllers.pod;

import io.argosy.controllers.meta.Timestamps;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The order in which surplus pods are removed: those that matter least come first.
 *
 * <p>Unassigned, then pending, then not ready, then of low deletion cost, then crowded on a node, then lately ready, then often
 * restarted, then young. Ages are compared on a logarithmic scale, and pods of like age by uid, so that not always the same node
 * is emptied.
 */
public final class DeletionOrder {
    public static final String DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";

    private DeletionOrder() {}

    /** Picks the pods to remove; {@code related} are all pods of the same workload, which count for crowding. */
    public static List<Pod> choose(List<Pod> pods, Collection<Pod> related, int count, Instant now) {
        if (count >= pods.size()) {
            return List.copyOf(pods);
        }
        Map<String, Integer> perNode = new HashMap<>();
        for (Pod pod : related) {
            if (Pods.isActive(pod)) {
                perNode.merge(Pods.nodeName(pod), 1, Integer::sum);
            }
        }
        Map<Instant, String> sameAge = new HashMap<>();
        for (Pod pod : pods) {
            for (Instant moment : new Instant[] {Pods.readySince(pod), created(pod)}) {
                sameAge.merge(moment == null ? Instant.MIN : moment, uid(pod), DeletionOrder::lesser);
            }
        }
        return pods.stream()
                .map(pod -> Ranked.of(pod, perNode.getOrDefault(Pods.nodeName(pod), 0), sameAge, now))
                .sorted(ORDER)
                .limit(count)
                .map(Ranked::pod)
                .toList();
    }

    private static String uid(Pod pod) {
        String uid = pod.getMetadata().getUid();
        return uid == null ? "" : uid;
    }

    private static Instant created(Pod pod) {
        return Timestamps.parse(pod.getMetadata().getCreationTimestamp());
    }

    private static String lesser(String a, String b) {
        return a.compareTo(b) <= 0 ? a : b;
    }

    /** What the pod's annotation says it costs to lose it; 0 when absent or not in the accepted form. */
    static int deletionCost(Pod pod) {
        Map<String, String> annotations = pod.getMetadata().getAnnotations();
        String cost = annotations == null ? null : annotations.get(DELETION_COST);
        if (cost == null || !cost.matches("-?(0|[1-9][0-9]{0,9})")) {
            return 0;
        }
        long value = Long.parseLong(cost);
        return value == (int) value ? (int) value : 0;
    }

    /** Everything the order looks at, worked out once for each pod. */
    private record Ranked(
            Pod pod,
            boolean assigned,
            int phase,
            boolean ready,
            int cost,
            int neighbours,
            Age readiness,
            Restarts restarts,
            Age life) {

        static Ranked of(Pod pod, int neighbours, Map<Instant, String> sameAge, Instant now) {
            return new Ranked(
                    pod,
                    !Pods.nodeName(pod).isEmpty(),
                    switch (Pods.phase(pod)) {
                        case "Running" -> 2;
                        case "Unknown" -> 1;
                        default -> 0;
                    },
                    Pods.isReady(pod),
                    deletionCost(pod),
                    neighbours,
                    Age.of(Pods.readySince(pod), sameAge, now),
                    Restarts.of(pod),
                    Age.of(created(pod), sameAge, now));
        }
    }

    /**
     * An age by its order of magnitude; within one magnitude pods of the very same age share a group, named by its least uid, so
     * that the order is total.
     */
    private record Age(int magnitude, String group) implements Comparable<Age> {
        static Age of(Instant since, Map<Instant, String> sameAge, Instant now) {
            if (since == null) {
                return new Age(Integer.MIN_VALUE, "");
            }
            long nanos = Duration.between(since, now).toNanos();
            int magnitude = nanos <= 0 ? -1 : 63 - Long.numberOfLeadingZeros(nanos);
            return new Age(magnitude, sameAge.get(since));
        }

        @Override
        public int compareTo(Age other) {
            int byMagnitude = Integer.compare(magnitude, other.magnitude);
            return byMagnitude != 0 ? byMagnitude : group.compareTo(other.group);
        }
    }

    private static final Comparator<Ranked> ORDER = Comparator.comparing(Ranked::assigned)
            .thenComparing(Ranked::phase)
            .thenComparing(Ranked::ready)
            .thenComparing(Ranked::cost)
            .thenComparing(Ranked::neighbours, Comparator.reverseOrder())
            .thenComparing(Ranked::readiness)
            .thenComparing(Ranked::restarts)
            .thenComparing(Ranked::life);

    private record Restarts(int containers, int sidecars) implements Comparable<Restarts> {
        @Override
        public int compareTo(Restarts other) {
            int byContainers = Integer.compare(other.containers, containers);
            return byContainers != 0 ? byContainers : Integer.compare(other.sidecars, sidecars);
        }

        static Restarts of(Pod pod) {
            if (pod.getStatus() == null) {
                return new Restarts(0, 0);
            }
            Set<String> sidecarNames = new HashSet<>();
            for (Container container : pod.getSpec().getInitContainers()) {
                if ("Always".equals(container.getRestartPolicy())) {
                    sidecarNames.add(container.getName());
                }
            }
            int sidecars = 0;
            for (ContainerStatus status : pod.getStatus().getInitContainerStatuses()) {
                if (sidecarNames.contains(status.getName())) {
                    sidecars = Math.max(sidecars, count(status));
                }
            }
            int containers = 0;
            for (ContainerStatus status : pod.getStatus().getContainerStatuses()) {
                containers = Math.max(containers, count(status));
            }
            return new Restarts(containers, sidecars);
        }

        private static int count(ContainerStatus status) {
            return status.getRestartCount() == null ? 0 : status.getRestartCount();
        }
    }
}
