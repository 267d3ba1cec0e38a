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
import java.util.function.Predicate;

/**
 * What to do next for one daemon set: one pod on each node that should have one, none elsewhere, and old pods replaced a few at a
 * time.
 *
 * @param create nodes that get a pod
 * @param ended pods among the deleted that had ended by themselves, which is worth an event
 */
public record DaemonPlan(List<String> create, List<Pod> delete, List<Pod> ended, DaemonSetStatus status) {
    static final int BURST = 250;
    /** Of several pods on a node the one that counts comes first: placed, and the oldest. */
    private static final Comparator<Pod> FIRST_COME = Comparator.comparing(
                    (Pod pod) -> Pods.nodeName(pod).isEmpty())
            .thenComparing(pod -> pod.getMetadata().getCreationTimestamp())
            .thenComparing(pod -> pod.getMetadata().getName());

    /** What is known of the cluster; a node holds back where a failed pod is not to be replaced yet. */
    public record Observed(Collection<Node> nodes, Collection<Pod> pods, Predicate<String> holdsBack, Instant now) {}

    public static DaemonPlan decide(DaemonSet set, Observed observed, String hash) {
        return new Draft(set, observed, hash).plan();
    }

    private static final class Draft {
        private final DaemonSet set;
        private final String hash;
        private final Predicate<String> holdsBack;
        private final Instant now;
        private final int minReady;
        private final Map<String, DaemonPod.Place> places = new TreeMap<>();
        private final Map<String, List<Pod>> onNode = new HashMap<>();
        private final int desired;
        private final int maxSurge;
        private final List<String> create = new ArrayList<>();
        private final List<Pod> delete = new ArrayList<>();
        private final List<Pod> ended = new ArrayList<>();

        Draft(DaemonSet set, Observed observed, String hash) {
            this.set = set;
            this.hash = hash;
            holdsBack = observed.holdsBack();
            now = observed.now();
            minReady = set.getSpec().getMinReadySeconds() == null
                    ? 0
                    : set.getSpec().getMinReadySeconds();
            observed.nodes().forEach(node -> places.put(node.getMetadata().getName(), DaemonPod.place(set, node)));
            for (Pod pod : observed.pods()) {
                if (!Pods.isTerminal(pod) || !Pods.isDeleting(pod)) {
                    onNode.computeIfAbsent(DaemonPod.node(pod), name -> new ArrayList<>())
                            .add(pod);
                }
            }
            onNode.values().forEach(pods -> pods.sort(FIRST_COME));
            desired =
                    (int) places.values().stream().filter(DaemonPod.Place::run).count();
            IntOrString surge =
                    isOnDelete() || rolling() == null ? null : rolling().getMaxSurge();
            maxSurge = Fenceposts.scaled(surge, desired, true);
        }

        DaemonPlan plan() {
            DaemonSetStatus status = count();
            if (set.getMetadata().getDeletionTimestamp() == null) {
                places.forEach(this::settle);
                forsake();
                boolean settled = create.isEmpty() && delete.isEmpty();
                if (settled && !isOnDelete()) {
                    update();
                }
            }
            return new DaemonPlan(
                    create.subList(0, Math.min(create.size(), BURST)),
                    delete.subList(0, Math.min(delete.size(), BURST)),
                    ended,
                    status);
        }

        private List<Pod> pods(String node) {
            return onNode.getOrDefault(node, List.of());
        }

        private void settle(String node, DaemonPod.Place place) {
            List<Pod> present = living(node);
            if (!place.stay()) {
                delete.addAll(present);
                return;
            }
            List<Pod> running =
                    present.stream().filter(pod -> !Pods.isTerminal(pod)).toList();
            for (Pod pod : present) {
                boolean held = Pods.phase(pod).equals("Failed") && holdsBack.test(node);
                if (Pods.isTerminal(pod) && !held) {
                    ended.add(pod);
                    delete.add(pod);
                }
            }
            boolean vacant = maxSurge > 0 ? present.isEmpty() : pods(node).isEmpty();
            if (place.run() && vacant) {
                create.add(node);
            }
            if (maxSurge > 0) {
                dropReplaced(running);
            } else {
                delete.addAll(running.subList(Math.min(1, running.size()), running.size()));
            }
        }

        /** An old and a new pod stand side by side only while the old one serves and the new one does not yet. */
        private void dropReplaced(List<Pod> running) {
            Pod old = null;
            Pod fresh = null;
            for (Pod pod : running) {
                if (isNew(pod) && fresh == null) {
                    fresh = pod;
                } else if (!isNew(pod) && old == null) {
                    old = pod;
                } else {
                    delete.add(pod);
                }
            }
            if (old != null && fresh != null && (!Pods.isReady(old) || isAvailable(fresh))) {
                delete.add(old);
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
            if (maxSurge > 0) {
                surge();
            } else {
                replace();
            }
        }

        /** Deletes old pods, those that do not serve at once and others as far as pods may be missing. */
        private void replace() {
            int may = maxUnavailable();
            List<Pod> candidates = new ArrayList<>();
            for (Map.Entry<String, DaemonPod.Place> place : places.entrySet()) {
                if (!place.getValue().run() && pods(place.getKey()).isEmpty()) {
                    continue;
                }
                List<Pod> present = living(place.getKey());
                boolean single = present.size() == 1;
                if (single && !isNew(present.getFirst()) && isAvailable(present.getFirst())) {
                    candidates.add(present.getFirst());
                } else if (single && isNew(present.getFirst())) {
                    may -= isAvailable(present.getFirst()) ? 0 : 1;
                } else {
                    delete.addAll(single ? present : List.of());
                    may--;
                }
            }
            delete.addAll(candidates.subList(0, Math.clamp(may, 0, candidates.size())));
        }

        /** Creates new pods beside old ones, at once where the old does not serve, and lets pods elsewhere go when enough serve. */
        private void surge() {
            int may = maxSurge;
            int available = 0;
            List<String> candidates = new ArrayList<>();
            List<Pod> elsewhere = new ArrayList<>();
            for (Map.Entry<String, DaemonPod.Place> place : places.entrySet()) {
                List<Pod> present = living(place.getKey());
                if (present.isEmpty()) {
                    continue;
                }
                Pod old =
                        present.stream().filter(pod -> !isNew(pod)).findFirst().orElse(null);
                boolean serves = isAvailable(old == null ? present.getFirst() : old);
                available += serves ? 1 : 0;
                if (old == null) {
                    continue;
                }
                if (present.size() > 1) {
                    may--;
                } else if (!place.getValue().run()) {
                    (serves ? elsewhere : delete).add(old);
                } else {
                    (serves ? candidates : create).add(place.getKey());
                }
            }
            delete.addAll(elsewhere.subList(0, Math.clamp(available - desired, 0, elsewhere.size())));
            create.addAll(candidates.subList(0, Math.clamp(may, 0, candidates.size())));
        }

        /** The pods of a node that are not on their way out. */
        private List<Pod> living(String node) {
            return pods(node).stream().filter(pod -> !Pods.isDeleting(pod)).toList();
        }

        private boolean isAvailable(Pod pod) {
            return Pods.isAvailable(pod, minReady, now);
        }

        private boolean isNew(Pod pod) {
            return pod.getMetadata().getLabels() != null
                    && hash.equals(pod.getMetadata().getLabels().get(DaemonPod.HASH));
        }

        private boolean isOnDelete() {
            return set.getSpec().getUpdateStrategy() != null
                    && "OnDelete".equals(set.getSpec().getUpdateStrategy().getType());
        }

        private RollingUpdateDaemonSet rolling() {
            return set.getSpec().getUpdateStrategy() == null
                    ? null
                    : set.getSpec().getUpdateStrategy().getRollingUpdate();
        }

        private int maxUnavailable() {
            IntOrString value = rolling() == null ? null : rolling().getMaxUnavailable();
            return value == null ? 1 : Math.max(1, Fenceposts.scaled(value, desired, true));
        }

        private DaemonSetStatus count() {
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
                if (!there.isEmpty()) {
                    current++;
                    Pod first = there.getFirst();
                    ready += Pods.isReady(first) ? 1 : 0;
                    available += isAvailable(first) ? 1 : 0;
                    updated += isNew(first) ? 1 : 0;
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
                status.setConditions(set.getStatus().getConditions());
            }
            return status;
        }

        private static Integer orNull(int count) {
            return count == 0 ? null : count;
        }
    }
}
