package io.argosy.controllers.daemonset;

import io.argosy.controllers.deployment.Fenceposts;
import io.argosy.controllers.pod.Pods;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetStatus;
import io.fabric8.kubernetes.api.model.apps.RollingUpdateDaemonSet;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What to do next for one daemon set: one pod on each node that should have one, none elsewhere, and old pods replaced a few at a
 * time.
 *
 * @param create nodes that get a pod
 * @param failed pods among the deleted that had ended by themselves, which is worth an event
 */
public record DaemonPlan(List<String> create, List<Pod> delete, List<Pod> failed, DaemonSetStatus status) {
    static final int BURST = 250;

    public static DaemonPlan decide(
            DaemonSet set, Collection<Node> nodes, Collection<Pod> pods, String hash, Instant now) {
        return new Draft(set, nodes, pods, hash, now).plan();
    }

    private static final class Draft {
        private final DaemonSet set;
        private final String hash;
        private final Instant now;
        private final int minReady;
        private final Map<String, DaemonPod.Place> places = new TreeMap<>();
        private final Map<String, List<Pod>> onNode = new HashMap<>();
        private final List<String> create = new ArrayList<>();
        private final List<Pod> delete = new ArrayList<>();
        private final List<Pod> failed = new ArrayList<>();

        Draft(DaemonSet set, Collection<Node> nodes, Collection<Pod> pods, String hash, Instant now) {
            this.set = set;
            this.hash = hash;
            this.now = now;
            minReady = set.getSpec().getMinReadySeconds() == null
                    ? 0
                    : set.getSpec().getMinReadySeconds();
            nodes.forEach(node -> places.put(node.getMetadata().getName(), DaemonPod.place(set, node)));
            for (Pod pod : pods) {
                onNode.computeIfAbsent(DaemonPod.node(pod), name -> new ArrayList<>())
                        .add(pod);
            }
        }

        DaemonPlan plan() {
            DaemonSetStatus status = count();
            if (set.getMetadata().getDeletionTimestamp() == null) {
                places.forEach(this::settle);
                forsake();
                boolean settled = create.isEmpty() && delete.isEmpty();
                boolean onDelete = set.getSpec().getUpdateStrategy() != null
                        && "OnDelete".equals(set.getSpec().getUpdateStrategy().getType());
                if (settled && !onDelete) {
                    update();
                }
            }
            return new DaemonPlan(
                    create.subList(0, Math.min(create.size(), BURST)),
                    delete.subList(0, Math.min(delete.size(), BURST)),
                    failed,
                    status);
        }

        private List<Pod> pods(String node) {
            return onNode.getOrDefault(node, List.of());
        }

        private void settle(String node, DaemonPod.Place place) {
            List<Pod> alive = new ArrayList<>();
            for (Pod pod : pods(node)) {
                if (Pods.isDeleting(pod)) {
                    continue;
                }
                if (place.stay() && Pods.isTerminal(pod)) {
                    failed.add(pod);
                    delete.add(pod);
                } else if (!place.stay()) {
                    delete.add(pod);
                } else {
                    alive.add(pod);
                }
            }
            boolean ending = pods(node).stream().anyMatch(Pods::isDeleting);
            if (place.run() && alive.isEmpty() && !ending && failed.stream().noneMatch(pods(node)::contains)) {
                create.add(node);
            }
            dropDoubles(alive);
        }

        /** Of several pods of one revision the oldest that is placed stays; an old and a new one stand side by side in an update. */
        private void dropDoubles(List<Pod> alive) {
            Map<Boolean, List<Pod>> byNewness = new HashMap<>();
            for (Pod pod : alive) {
                byNewness
                        .computeIfAbsent(surge() == 0 || isNew(pod), key -> new ArrayList<>())
                        .add(pod);
            }
            for (List<Pod> same : byNewness.values()) {
                same.sort(Comparator.comparing((Pod pod) -> Pods.nodeName(pod).isEmpty())
                        .thenComparing(pod -> pod.getMetadata().getCreationTimestamp())
                        .thenComparing(pod -> pod.getMetadata().getName()));
                delete.addAll(same.subList(1, same.size()));
            }
        }

        /** Pods meant for nodes that are gone. */
        private void forsake() {
            onNode.forEach((node, there) -> {
                if (!places.containsKey(node)) {
                    there.stream().filter(pod -> !Pods.isDeleting(pod)).forEach(delete::add);
                }
            });
        }

        private void update() {
            int desired =
                    (int) places.values().stream().filter(DaemonPod.Place::run).count();
            int surge = surge();
            int may = surge > 0 ? surge : maxUnavailable(desired);
            List<String> candidates = new ArrayList<>();
            for (Map.Entry<String, DaemonPod.Place> place : places.entrySet()) {
                if (!place.getValue().run()) {
                    continue;
                }
                Pod old = find(place.getKey(), false);
                Pod fresh = find(place.getKey(), true);
                boolean freshServes = fresh != null && Pods.isAvailable(fresh, minReady, now);
                if (surge > 0) {
                    if (old != null && freshServes) {
                        delete.add(old);
                    } else if (old != null && fresh != null) {
                        may--;
                    } else if (old != null && !Pods.isAvailable(old, minReady, now)) {
                        create.add(place.getKey());
                    } else if (old != null) {
                        candidates.add(place.getKey());
                    }
                } else if (old == null) {
                    may -= freshServes ? 0 : 1;
                } else if (!Pods.isAvailable(old, minReady, now)) {
                    delete.add(old);
                    may--;
                } else {
                    candidates.add(place.getKey());
                }
            }
            for (String node : candidates.subList(0, Math.clamp(may, 0, candidates.size()))) {
                if (surge > 0) {
                    create.add(node);
                } else {
                    delete.add(find(node, false));
                }
            }
        }

        private Pod find(String node, boolean fresh) {
            return pods(node).stream()
                    .filter(pod -> !Pods.isDeleting(pod) && isNew(pod) == fresh)
                    .findFirst()
                    .orElse(null);
        }

        private boolean isNew(Pod pod) {
            return pod.getMetadata().getLabels() != null
                    && hash.equals(pod.getMetadata().getLabels().get(DaemonPod.HASH));
        }

        private RollingUpdateDaemonSet rolling() {
            return set.getSpec().getUpdateStrategy() == null
                    ? null
                    : set.getSpec().getUpdateStrategy().getRollingUpdate();
        }

        private int surge() {
            IntOrString surge = rolling() == null ? null : rolling().getMaxSurge();
            return Fenceposts.scaled(surge, places.size(), true);
        }

        private int maxUnavailable(int desired) {
            IntOrString value = rolling() == null ? null : rolling().getMaxUnavailable();
            return value == null ? 1 : Math.max(1, Fenceposts.scaled(value, desired, true));
        }

        private DaemonSetStatus count() {
            int desired = 0;
            int current = 0;
            int misscheduled = 0;
            int ready = 0;
            int available = 0;
            int updated = 0;
            for (Map.Entry<String, DaemonPod.Place> place : places.entrySet()) {
                List<Pod> there = pods(place.getKey());
                if (!place.getValue().run()) {
                    misscheduled += there.isEmpty() ? 0 : 1;
                    continue;
                }
                desired++;
                if (!there.isEmpty()) {
                    current++;
                    Pod oldest = there.stream()
                            .min(Comparator.comparing((Pod pod) -> !Pods.isReady(pod))
                                    .thenComparing(pod -> pod.getMetadata().getCreationTimestamp()))
                            .orElseThrow();
                    ready += Pods.isReady(oldest) ? 1 : 0;
                    available += Pods.isAvailable(oldest, minReady, now) ? 1 : 0;
                    updated += there.stream().anyMatch(this::isNew) ? 1 : 0;
                }
            }
            DaemonSetStatus status = new DaemonSetStatus();
            status.setDesiredNumberScheduled(desired);
            status.setCurrentNumberScheduled(current);
            status.setNumberMisscheduled(misscheduled);
            status.setNumberReady(ready);
            status.setNumberAvailable(orNull(available));
            status.setNumberUnavailable(orNull(desired - available));
            status.setUpdatedNumberScheduled(orNull(updated));
            status.setObservedGeneration(set.getMetadata().getGeneration());
            if (set.getStatus() != null) {
                status.setCollisionCount(set.getStatus().getCollisionCount());
                status.setConditions(set.getStatus().getConditions());
            }
            return status;
        }

        private static Integer orNull(int count) {
            return count == 0 ? null : count;
        }
    }
}
