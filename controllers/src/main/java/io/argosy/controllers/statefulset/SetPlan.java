package io.argosy.controllers.statefulset;

import io.argosy.controllers.deployment.Fenceposts;
import io.argosy.controllers.pod.Pods;
import io.fabric8.kubernetes.api.model.IntOrString;
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

/**
 * What to do next for one stateful set. In order, one pod at a time: each waits until those before it serve; scaling down and
 * updating begin with the last. In parallel, all at once.
 *
 * @param create ordinals to create, with the revision that each is to have
 * @param delete pods to delete
 */
public record SetPlan(Map<Integer, String> create, List<Pod> delete) {

    /** The names of the revision that the set still runs and of the one it should run. */
    public record Revisions(String current, String update) {}

    public static SetPlan decide(StatefulSet set, Collection<Pod> pods, Revisions revisions, Instant now) {
        if (set.getMetadata().getDeletionTimestamp() != null) {
            return new SetPlan(Map.of(), List.of());
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
            return new SetPlan(create, delete);
        }

        /** Creates what is missing; false when something has to be waited for. */
        private boolean fill() {
            for (int ordinal = start; ordinal < end; ordinal++) {
                Pod pod = replicas.get(ordinal);
                if (pod == null) {
                    create.put(ordinal, revisionFor(ordinal));
                } else if (Pods.isTerminal(pod)) {
                    if (!Pods.isDeleting(pod)) {
                        delete.add(pod);
                    }
                } else if (Ordinals.isHealthy(pod, minReady, now)) {
                    continue;
                }
                if (oneByOne) {
                    return false;
                }
            }
            return true;
        }

        /** A pod that the update has not reached yet comes back as it was. */
        private String revisionFor(int ordinal) {
            if (isOnDelete()) {
                return revisions.update();
            }
            int partition = partition();
            int current = set.getStatus() == null || set.getStatus().getCurrentReplicas() == null
                    ? 0
                    : set.getStatus().getCurrentReplicas();
            boolean keepsOld = partition > 0 ? ordinal < start + partition : ordinal < start + current;
            return keepsOld ? revisions.current() : revisions.update();
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
                if (oneByOne && !Ordinals.isHealthy(pod, minReady, now) && !isFirstUnhealthy(pod)) {
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
                    .filter(other -> !Ordinals.isHealthy(other, minReady, now))
                    .allMatch(other -> Ordinals.of(set, other) >= Ordinals.of(set, pod));
        }

        /** Deletes pods of the old revision, the last first, as many as may be missing; they come back with the new one. */
        private void update() {
            if (isOnDelete() || !create.isEmpty()) {
                return;
            }
            int missing = (int) replicas.values().stream()
                    .filter(pod -> !Ordinals.isHealthy(pod, minReady, now))
                    .count();
            int may = maxUnavailable() - missing;
            for (int ordinal = end - 1; ordinal >= start + partition(); ordinal--) {
                Pod pod = replicas.get(ordinal);
                if (pod == null || Pods.isDeleting(pod)) {
                    continue;
                }
                boolean old = !revisions.update().equals(Ordinals.revision(pod));
                boolean broken = !Ordinals.isHealthy(pod, minReady, now);
                if (old && (broken || may > 0)) {
                    delete.add(pod);
                    may -= broken ? 0 : 1;
                }
            }
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
            IntOrString value = rolling() == null ? null : rolling().getMaxUnavailable();
            return value == null ? 1 : Math.max(1, Fenceposts.scaled(value, Ordinals.replicas(set), false));
        }
    }
}
