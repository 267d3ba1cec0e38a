package io.argosy.controllers.statefulset;

import io.argosy.controllers.deployment.Fenceposts;
import io.argosy.controllers.pod.Pods;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.RollingUpdateStatefulSetStrategy;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * What to do next for one stateful set. In order, one pod at a time: each waits until those before it serve; scaling down and
 * updating begin with the last. In parallel, all at once.
 *
 * @param create ordinals to create, with the revision that each is to have
 * @param delete pods to delete
 * @param pending pods that do not run yet, perhaps for want of a claim
 * @param unnamed pods that lack the labels by which they are known
 */
public record SetPlan(Map<Integer, String> create, List<Pod> delete, List<Pod> pending, List<Pod> unnamed) {

    /** The names of the revision that the set still runs and of the one it should run. */
    public record Revisions(String current, String update) {}

    public static SetPlan decide(StatefulSet set, Collection<Pod> pods, Revisions revisions, Instant now) {
        if (set.getMetadata().getDeletionTimestamp() != null) {
            return new SetPlan(Map.of(), List.of(), List.of(), List.of());
        }
        return new Draft(set, pods, revisions, now).plan();
    }

    private static final class Draft {
        private final StatefulSet set;
        private final Revisions revisions;
        private final Instant now;
        private final boolean oneByOne;
        private final int start;
        private final int end;
        private final int minReady;
        private final Map<Integer, Pod> replicas = new TreeMap<>();
        private final List<Pod> condemned = new ArrayList<>();
        private final Map<Integer, String> create = new TreeMap<>();
        private final List<Pod> delete = new ArrayList<>();
        private final List<Pod> pending = new ArrayList<>();
        private final List<Pod> unnamed = new ArrayList<>();

        Draft(StatefulSet set, Collection<Pod> pods, Revisions revisions, Instant now) {
            this.set = set;
            this.revisions = revisions;
            this.now = now;
            oneByOne = !"Parallel".equals(set.getSpec().getPodManagementPolicy());
            start = Ordinals.start(set);
            end = start + Ordinals.replicas(set);
            minReady = set.getSpec().getMinReadySeconds() == null
                    ? 0
                    : set.getSpec().getMinReadySeconds();
            for (Pod pod : pods) {
                int ordinal = Ordinals.of(set, pod);
                if (ordinal >= start && ordinal < end) {
                    replicas.put(ordinal, pod);
                } else if (ordinal >= 0) {
                    condemned.add(pod);
                }
            }
            condemned.sort(
                    Comparator.comparingInt((Pod pod) -> Ordinals.of(set, pod)).reversed());
        }

        SetPlan plan() {
            if (fill() && shrink()) {
                update();
            }
            return new SetPlan(create, delete, pending, unnamed);
        }

        /** Creates what is missing; false when something has to be waited for. */
        private boolean fill() {
            for (int ordinal = start; ordinal < end; ordinal++) {
                Pod pod = replicas.get(ordinal);
                if (pod == null) {
                    create.put(ordinal, revisionFor(ordinal));
                } else if (!Pods.isTerminal(pod)) {
                    tend(pod);
                } else if (!Pods.isDeleting(pod)) {
                    delete.add(pod);
                }
                if (oneByOne && isMissing(pod)) {
                    return false;
                }
            }
            return true;
        }

        private void tend(Pod pod) {
            if (Pods.phase(pod).equals("Pending")) {
                pending.add(pod);
            }
            if (!SetIdentity.isKnown(pod)) {
                unnamed.add(pod);
            }
        }

        private boolean isMissing(Pod pod) {
            return pod == null || !Ordinals.isHealthy(pod, minReady, now);
        }

        /** A pod that the update is not to reach comes back as it was; without a partition, one that it has not reached yet. */
        private String revisionFor(int ordinal) {
            if (isOnDelete()) {
                return revisions.update();
            }
            Integer current = set.getStatus() == null ? null : set.getStatus().getCurrentReplicas();
            int kept = rolling() != null ? partition() : current == null ? 0 : current;
            return ordinal < start + kept ? revisions.current() : revisions.update();
        }

        /** Removes what is too much, the last first; false when something has to be waited for. */
        private boolean shrink() {
            for (Pod pod : condemned) {
                if (Pods.isDeleting(pod)) {
                    if (oneByOne) {
                        return false;
                    }
                    continue;
                }
                if (oneByOne && isMissing(pod) && !isFirstUnhealthy(pod)) {
                    return false;
                }
                delete.add(pod);
                if (oneByOne) {
                    return false;
                }
            }
            return true;
        }

        private boolean isFirstUnhealthy(Pod pod) {
            return condemned.stream()
                    .filter(this::isMissing)
                    .allMatch(other -> Ordinals.of(set, other) >= Ordinals.of(set, pod));
        }

        /**
         * Deletes pods of the old revision, the last first; they come back with the new one. A set that gives no number lets one be
         * missing, and waits only for those that come after the pod whose turn it is.
         */
        private void update() {
            if (isOnDelete()) {
                return;
            }
            boolean counts = rolling() != null && rolling().getMaxUnavailable() != null;
            int may = counts ? maxUnavailable() - missing() : 1;
            for (int ordinal = end - 1; ordinal >= start + partition() && may > 0; ordinal--) {
                Pod pod = replicas.get(ordinal);
                boolean old = pod != null && !revisions.update().equals(Ordinals.revision(pod));
                if (old && Pods.isActive(pod)) {
                    delete.add(pod);
                    may--;
                } else if (!counts && isMissing(pod)) {
                    return;
                }
            }
        }

        private int missing() {
            return (int) IntStream.range(start, end)
                    .filter(ordinal -> isMissing(replicas.get(ordinal)))
                    .count();
        }

        private boolean isOnDelete() {
            return set.getSpec().getUpdateStrategy() != null
                    && "OnDelete".equals(set.getSpec().getUpdateStrategy().getType());
        }

        private RollingUpdateStatefulSetStrategy rolling() {
            return set.getSpec().getUpdateStrategy() == null
                    ? null
                    : set.getSpec().getUpdateStrategy().getRollingUpdate();
        }

        private int partition() {
            return rolling() == null || rolling().getPartition() == null
                    ? 0
                    : rolling().getPartition();
        }

        private int maxUnavailable() {
            return Math.max(1, Fenceposts.scaled(rolling().getMaxUnavailable(), Ordinals.replicas(set), false));
        }
    }
}
