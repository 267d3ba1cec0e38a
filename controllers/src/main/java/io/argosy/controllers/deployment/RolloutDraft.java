package io.argosy.controllers.deployment;

import static io.argosy.controllers.deployment.Conditions.PROGRESSING;

import io.argosy.client.Owners;
import io.argosy.controllers.pod.PodTemplateHash;
import io.argosy.controllers.pod.Pods;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentSpec;
import io.fabric8.kubernetes.api.model.apps.DeploymentStatus;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.apps.ReplicaSetBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A plan in the making: the replica sets as they will be after the steps drafted so far. It lives for one decision, in one thread.
 */
final class RolloutDraft {
    private static final int MAX_NAME = 253;

    private final Deployment deployment;
    private final Instant now;
    private final Fenceposts posts;
    private final Map<String, ReplicaSet> before = new LinkedHashMap<>();
    private final Map<String, ReplicaSet> current = new LinkedHashMap<>();
    private final List<ReplicaSet> delete = new ArrayList<>();
    private String newName;
    private boolean created;
    private String revision;
    private Conditions conditions;

    RolloutDraft(Deployment deployment, List<ReplicaSet> sets, Instant now) {
        this.deployment = deployment;
        this.now = now;
        this.posts = Fenceposts.of(deployment);
        for (ReplicaSet set : sets) {
            before.put(set.getMetadata().getName(), set);
        }
        current.putAll(before);
        newName = ReplicaSets.withTemplate(sets, deployment.getSpec().getTemplate())
                .map(set -> set.getMetadata().getName())
                .orElse(null);
        conditions = new Conditions(
                deployment.getStatus() == null
                        ? List.of()
                        : List.copyOf(deployment.getStatus().getConditions()));
    }

    Deployment deployment() {
        return deployment;
    }

    Fenceposts posts() {
        return posts;
    }

    int desired() {
        return Fenceposts.replicas(deployment);
    }

    int maxTotal() {
        return desired() + posts.maxSurge();
    }

    int reportedReplicas() {
        Integer replicas =
                deployment.getStatus() == null ? null : deployment.getStatus().getReplicas();
        return replicas == null ? 0 : replicas;
    }

    Optional<ReplicaSet> newSet() {
        return Optional.ofNullable(newName).map(current::get);
    }

    List<ReplicaSet> oldSets() {
        return current.values().stream()
                .filter(set -> !set.getMetadata().getName().equals(newName))
                .toList();
    }

    Collection<ReplicaSet> all() {
        return List.copyOf(current.values());
    }

    Optional<ReplicaSet> youngestOld() {
        return oldSets().stream().max(ReplicaSets.OLDEST_FIRST);
    }

    /** A pause stops the clock of the progress deadline, and a resumption starts it anew. */
    void notePause() {
        if (!Progress.hasDeadline(deployment) || conditions.hasReason(PROGRESSING, Progress.TIMED_OUT)) {
            return;
        }
        boolean paused = Boolean.TRUE.equals(deployment.getSpec().getPaused());
        boolean noted = conditions.hasReason(PROGRESSING, Progress.PAUSED);
        if (paused && !noted) {
            condition("Unknown", Progress.PAUSED, "Deployment is paused");
        } else if (!paused && noted) {
            condition("Unknown", Progress.RESUMED, "Deployment is resumed");
        }
    }

    /** Gives the set of the current template the highest revision and the deployment's annotations. */
    void annotateNewSet() {
        ReplicaSet set = newSet().orElse(null);
        if (set == null) {
            return;
        }
        Map<String, String> annotations =
                Revisions.of(deployment, set.getMetadata().getAnnotations(), Revisions.next(oldSets()));
        Integer minReady = deployment.getSpec().getMinReadySeconds();
        if (!annotations.equals(orEmpty(set.getMetadata().getAnnotations()))
                || orZero(minReady) != orZero(set.getSpec().getMinReadySeconds())) {
            put(new ReplicaSetBuilder(set)
                    .editMetadata()
                    .withAnnotations(annotations)
                    .endMetadata()
                    .editSpec()
                    .withMinReadySeconds(minReady)
                    .endSpec()
                    .build());
        }
        noteRevision(annotations.get(Revisions.REVISION));
        if (Progress.hasDeadline(deployment) && conditions.get(PROGRESSING).isEmpty()) {
            condition("True", Progress.FOUND, "Found new replica set \"" + newName + "\"");
        }
    }

    void createNewSet(int replicas) {
        DeploymentSpec spec = deployment.getSpec();
        DeploymentStatus status = deployment.getStatus();
        String hash = PodTemplateHash.of(spec.getTemplate(), status == null ? null : status.getCollisionCount());
        PodTemplateSpec template = new PodTemplateSpecBuilder(spec.getTemplate())
                .editOrNewMetadata()
                .addToLabels(PodTemplateHash.LABEL, hash)
                .endMetadata()
                .build();
        long number = Revisions.next(oldSets());
        Map<String, String> annotations = Revisions.of(deployment, null, number);
        Revisions.putSize(annotations, desired(), maxTotal());
        ReplicaSet set = new ReplicaSetBuilder()
                .withNewMetadata()
                .withName(name(hash))
                .withNamespace(deployment.getMetadata().getNamespace())
                .withLabels(template.getMetadata().getLabels())
                .withAnnotations(annotations)
                .withOwnerReferences(Owners.controlledBy(deployment))
                .endMetadata()
                .withNewSpec()
                .withReplicas(replicas)
                .withMinReadySeconds(spec.getMinReadySeconds())
                .withSelector(new LabelSelectorBuilder(spec.getSelector())
                        .addToMatchLabels(PodTemplateHash.LABEL, hash)
                        .build())
                .withTemplate(template)
                .endSpec()
                .build();
        newName = set.getMetadata().getName();
        created = true;
        put(set);
        noteRevision(Long.toString(number));
        if (Progress.hasDeadline(deployment)) {
            condition("True", Progress.CREATED, "Created new replica set \"" + newName + "\"");
        }
    }

    private String name(String hash) {
        String base = deployment.getMetadata().getName();
        int room = MAX_NAME - 1 - hash.length();
        return (base.length() > room ? base.substring(0, room) : base) + "-" + hash;
    }

    /** Resizes unless the set has that size; true when it was another. */
    boolean scale(ReplicaSet set, int replicas) {
        if (ReplicaSets.size(set) == replicas) {
            return false;
        }
        scaleAndRemember(set, replicas);
        return true;
    }

    /** Resizes and writes the deployment's size on the set, which ends the state of being resized. */
    void scaleAndRemember(ReplicaSet set, int replicas) {
        Map<String, String> annotations =
                new LinkedHashMap<>(orEmpty(set.getMetadata().getAnnotations()));
        Revisions.putSize(annotations, desired(), maxTotal());
        put(new ReplicaSetBuilder(set)
                .editMetadata()
                .withAnnotations(annotations)
                .endMetadata()
                .editSpec()
                .withReplicas(replicas)
                .endSpec()
                .build());
    }

    /** Forgets the oldest sets that history need not keep; one that still has pods, or did not hear the last word, stays. */
    void cleanUp() {
        Integer limit = deployment.getSpec().getRevisionHistoryLimit();
        if (limit == null || limit == Integer.MAX_VALUE) {
            return;
        }
        List<ReplicaSet> alive = oldSets().stream()
                .filter(set -> set.getMetadata().getDeletionTimestamp() == null)
                .sorted(Revisions.LOWEST_FIRST)
                .toList();
        for (ReplicaSet set : alive.subList(0, Math.max(0, alive.size() - limit))) {
            if (ReplicaSets.actual(set) == 0 && ReplicaSets.size(set) == 0 && ReplicaSets.hasHeard(set)) {
                delete.add(set);
            }
        }
    }

    boolean oldPodsRun(Map<String, ? extends Collection<Pod>> pods) {
        if (ReplicaSets.sum(oldSets(), ReplicaSets::actual) > 0) {
            return true;
        }
        for (ReplicaSet set : oldSets()) {
            Collection<Pod> children = pods.get(set.getMetadata().getUid());
            if (children != null && children.stream().anyMatch(pod -> !Pods.isTerminal(pod))) {
                return true;
            }
        }
        return false;
    }

    /** The last rollout was over when the status was last written. */
    boolean wasComplete() {
        return deployment.getStatus() != null && Progress.isComplete(deployment, deployment.getStatus());
    }

    DeploymentStatus counted() {
        return Progress.count(deployment, all(), newSet(), conditions, now);
    }

    DeploymentStatus progressed() {
        return Progress.estimate(deployment, all(), newSet(), conditions, now);
    }

    RolloutPlan plan(DeploymentStatus status) {
        List<RolloutPlan.Change> changes = new ArrayList<>();
        before.forEach((name, was) -> {
            ReplicaSet is = current.get(name);
            if (!is.equals(was)) {
                changes.add(new RolloutPlan.Change(was, is));
            }
        });
        return new RolloutPlan(
                created ? newSet() : Optional.empty(),
                List.copyOf(changes),
                List.copyOf(delete),
                revision,
                status,
                Progress.recheck(deployment, status, now));
    }

    private void noteRevision(String number) {
        Map<String, String> annotations = orEmpty(deployment.getMetadata().getAnnotations());
        if (number != null && !Objects.equals(annotations.get(Revisions.REVISION), number)) {
            revision = number;
        }
    }

    private void condition(String status, String reason, String message) {
        conditions = conditions.with(Conditions.condition(PROGRESSING, status, reason, message, now));
    }

    private void put(ReplicaSet set) {
        current.put(set.getMetadata().getName(), set);
    }

    private static Map<String, String> orEmpty(Map<String, String> map) {
        return map == null ? Map.of() : map;
    }

    private static int orZero(Integer number) {
        return number == null ? 0 : number;
    }
}
