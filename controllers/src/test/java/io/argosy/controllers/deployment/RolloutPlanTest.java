package io.argosy.controllers.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.controllers.Manifests;
import io.argosy.controllers.pod.PodTemplateHash;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentCondition;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.apps.ReplicaSetBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RolloutPlanTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    @ParameterizedTest(name = "{0} surge and {1} unavailable of {2}: {3} and {4}")
    @CsvSource({
        "25%, 25%, 10, 3, 2",
        "25%, 25%, 1, 1, 0",
        "25%, 25%, 3, 1, 0",
        "0, 1, 3, 0, 1",
        "0%, 1%, 2, 0, 1",
        "1%, 25%, 2, 1, 0",
        "100%, 0, 4, 4, 0",
        "0, 5, 3, 0, 3",
        "0, 0, 3, 0, 1"
    })
    void fenceposts(String surge, String unavailable, int replicas, int maxSurge, int maxUnavailable) {
        assertThat(Fenceposts.resolve(intOrString(surge), intOrString(unavailable), replicas))
                .isEqualTo(new Fenceposts(maxSurge, maxUnavailable));
    }

    /** What one step does to the old and the new set of a rolling update, given how many of each are available. */
    @ParameterizedTest(name = "{0} replicas +{1} -{2}: old {3} ({4} available), new {5} ({6}) become {7} and {8}")
    @CsvSource({
        // replicas, surge, unavailable, old, old available, new, new available, old after, new after
        "10, 3, 2, 10, 10, 0, 0, 10, 3", // grow within the surge first
        "10, 3, 2, 10, 10, 3, 0, 8, 3", // then shrink by what may be missing
        "10, 3, 2, 8, 8, 5, 0, 8, 5", // new ones never come: stop
        "10, 3, 2, 8, 8, 5, 5, 3, 5", // new ones came: more old ones may go
        "10, 3, 2, 8, 5, 5, 0, 8, 5", // old ones that fail do not let others go when nothing may
        "10, 3, 2, 10, 6, 3, 0, 8, 3", // failing old ones go first
        "3, 1, 1, 3, 3, 0, 0, 3, 1",
        "3, 1, 1, 3, 3, 1, 0, 2, 1",
        "3, 1, 1, 2, 2, 2, 2, 0, 2",
        "2, 0, 1, 2, 2, 0, 0, 1, 0", // without surge old ones go first
        "2, 0, 1, 1, 1, 0, 0, 1, 1",
        "5, 1, 0, 0, 0, 8, 8, 0, 5" // too many new ones
    })
    void rollingStep(
            int replicas,
            int surge,
            int unavailable,
            int old,
            int oldAvailable,
            int fresh,
            int freshAvailable,
            int oldAfter,
            int freshAfter) {
        Deployment deployment = deployment(replicas, surge, unavailable, "nginx:2");
        List<ReplicaSet> sets = List.of(
                set("old", "nginx:1", old, oldAvailable, replicas, "2026-01-01T00:00:00Z"),
                set("new", "nginx:2", fresh, freshAvailable, replicas, "2026-01-01T01:00:00Z"));
        RolloutPlan plan = RolloutPlan.decide(deployment, sets, Map.of(), NOW);
        assertThat(sizes(sets, plan)).isEqualTo(Map.of("old", oldAfter, "new", freshAfter));
    }

    /** Pods that a set has not yet ended take up room, and serve for the last time. */
    @ParameterizedTest(name = "old {0} has {1} pods, new {2} has {3}: become {4} and {5}")
    @CsvSource({"2, 3, 1, 1, 1, 1", "2, 2, 1, 1, 2, 2", "2, 3, 2, 2, 0, 2", "1, 3, 2, 1, 1, 2"})
    void podsOnTheirWayOutCountAsRoomTakenButNotAsServing(
            int old, int oldPods, int fresh, int freshPods, int oldAfter, int freshAfter) {
        ReplicaSet before = set("old", "nginx:1", old, oldPods, 3, "2026-01-01T00:00:00Z");
        before.getStatus().setReplicas(oldPods);
        ReplicaSet after = set("new", "nginx:2", fresh, freshPods, 3, "2026-01-01T01:00:00Z");
        after.getStatus().setReplicas(freshPods);
        List<ReplicaSet> sets = List.of(before, after);
        RolloutPlan plan = RolloutPlan.decide(deployment(3, 1, 1, "nginx:2"), sets, Map.of(), NOW);
        assertThat(sizes(sets, plan)).isEqualTo(Map.of("old", oldAfter, "new", freshAfter));
    }

    @Test
    void nextStepWaitsUntilEverySetHasHeardOfTheLastOne() {
        ReplicaSet old = set("old", "nginx:1", 2, 2, 3, "2026-01-01T00:00:00Z");
        old.getMetadata().setGeneration(2L);
        old.getStatus().setObservedGeneration(1L);
        List<ReplicaSet> sets = List.of(old, set("new", "nginx:2", 1, 1, 3, "2026-01-01T01:00:00Z"));
        Deployment deployment = deployment(3, 1, 1, "nginx:2");
        assertThat(sizes(sets, RolloutPlan.decide(deployment, sets, Map.of(), NOW)))
                .isEqualTo(Map.of("old", 2, "new", 1));
        old.getStatus().setObservedGeneration(2L);
        assertThat(sizes(sets, RolloutPlan.decide(deployment, sets, Map.of(), NOW)))
                .isEqualTo(Map.of("old", 2, "new", 2));
    }

    @Test
    void aRollOverLetsUnfinishedSetsGoBeforeTheNewestGrows() {
        Deployment deployment = deployment(10, 3, 2, "nginx:3");
        List<ReplicaSet> sets = List.of(
                set("old", "nginx:1", 8, 8, 10, "2026-01-01T00:00:00Z"),
                set("stuck", "nginx:2", 5, 0, 10, "2026-01-01T01:00:00Z"));
        RolloutPlan plan = RolloutPlan.decide(deployment, sets, Map.of(), NOW);
        assertThat(plan.create().orElseThrow().getSpec().getReplicas()).isZero();
        assertThat(sizes(sets, plan)).containsEntry("stuck", 0).containsEntry("old", 8);
    }

    @Test
    void theSetOfTheTemplateIsFoundByContentNotByName() {
        Deployment deployment = deployment(1, 1, 1, "nginx:2");
        ReplicaSet set = set("anything", "nginx:2", 1, 1, 1, "2026-01-01T00:00:00Z");
        set.getSpec().getTemplate().getMetadata().getLabels().put("pod-template-hash", "abc");
        RolloutPlan plan = RolloutPlan.decide(deployment, List.of(set), Map.of(), NOW);
        assertThat(plan.create()).isEmpty();
        assertThat(new Conditions(plan.status().getConditions())
                        .get("Progressing")
                        .map(DeploymentCondition::getReason))
                .contains("NewReplicaSetAvailable");
    }

    @Test
    void aNewSetSaysWhoItBelongsTo() {
        Deployment deployment = deployment(4, 2, 0, "nginx:1");
        ReplicaSet set = RolloutPlan.decide(deployment, List.of(), Map.of(), NOW)
                .create()
                .orElseThrow();
        String hash = set.getMetadata().getLabels().get("pod-template-hash");
        assertThat(hash).matches("[bcdfghjklmnpqrstvwxz2456789]{1,10}");
        assertThat(set.getMetadata().getName()).isEqualTo("nginx-" + hash);
        assertThat(set.getSpec().getReplicas()).isEqualTo(4);
        assertThat(set.getMetadata().getOwnerReferences().getFirst().getController())
                .isTrue();
        assertThat(set.getMetadata().getAnnotations()).containsEntry(Revisions.MAX_REPLICAS, "6");
    }

    @Test
    void theHashDependsOnContentAndCollisionsNotOnOrder() {
        PodTemplateSpec template = Manifests.template("a", "nginx:1");
        template.getMetadata().setLabels(new TreeMap<>(Map.of("x", "1", "y", "2")));
        PodTemplateSpec reordered = Manifests.template("a", "nginx:1");
        reordered.getMetadata().setLabels(new TreeMap<>(Map.of("x", "1", "y", "2")).descendingMap());
        assertThat(PodTemplateHash.of(template, null)).isEqualTo(PodTemplateHash.of(reordered, null));
        assertThat(PodTemplateHash.of(template, 1)).isNotEqualTo(PodTemplateHash.of(template, null));
        assertThat(PodTemplateHash.of(Manifests.template("a", "nginx:2"), null))
                .isNotEqualTo(PodTemplateHash.of(Manifests.template("a", "nginx:1"), null));
    }

    @ParameterizedTest(name = "{0} and {1} of {2} become {4} and {5} at {3}")
    @CsvSource({
        "8, 5, 13, 18, 11, 7",
        "5, 5, 10, 20, 10, 10",
        "5, 5, 10, 5, 2, 3",
        "10, 1, 11, 6, 5, 1",
        "1, 0, 1, 5, 5, 0"
    })
    void proportionalScale(int old, int fresh, int maxBefore, int max, int oldAfter, int freshAfter) {
        List<ReplicaSet> active = ReplicaSets.active(List.of(
                sized("old", old, maxBefore, "2026-01-01T00:00:00Z"),
                sized("new", fresh, maxBefore, "2026-01-01T01:00:00Z")));
        Map<String, Integer> sizes = ProportionalScale.sizes(active, max, max, max, old + fresh);
        assertThat(sizes.get("old")).isEqualTo(oldAfter);
        assertThat(sizes.getOrDefault("new", 0)).isEqualTo(freshAfter);
    }

    @Test
    void goingBackToAnOldTemplateGivesItTheHighestRevisionAndRemembersTheOldOne() {
        Deployment deployment = deployment(1, 1, 1, "nginx:1");
        assertThat(Revisions.of(deployment, Map.of(Revisions.REVISION, "1", Revisions.HISTORY, "0"), 3))
                .containsEntry(Revisions.REVISION, "3")
                .containsEntry(Revisions.HISTORY, "0,1");
        assertThat(Revisions.of(deployment, Map.of(Revisions.REVISION, "5"), 3))
                .containsEntry(Revisions.REVISION, "5")
                .doesNotContainKey(Revisions.HISTORY);
    }

    private static Map<String, Integer> sizes(List<ReplicaSet> sets, RolloutPlan plan) {
        Map<String, Integer> sizes = new TreeMap<>();
        sets.forEach(set -> sizes.put(set.getMetadata().getName(), ReplicaSets.size(set)));
        plan.changes()
                .forEach(change -> sizes.put(change.after().getMetadata().getName(), ReplicaSets.size(change.after())));
        return sizes;
    }

    private static Deployment deployment(int replicas, int surge, int unavailable, String image) {
        Deployment deployment = Manifests.deployment("nginx", replicas, image);
        deployment.getMetadata().setUid("deployment-uid");
        deployment.getMetadata().setGeneration(1L);
        deployment.getSpec().getStrategy().getRollingUpdate().setMaxSurge(new IntOrString(surge));
        deployment.getSpec().getStrategy().getRollingUpdate().setMaxUnavailable(new IntOrString(unavailable));
        return deployment;
    }

    private static ReplicaSet set(String name, String image, int size, int available, int desired, String created) {
        return new ReplicaSetBuilder(Manifests.replicaSet(name, size))
                .editMetadata()
                .withUid("uid-" + name)
                .withCreationTimestamp(created)
                .addToAnnotations(Revisions.DESIRED_REPLICAS, Integer.toString(desired))
                .endMetadata()
                .editSpec()
                .withTemplate(Manifests.template("nginx", image))
                .endSpec()
                .withNewStatus()
                .withReplicas(size)
                .withAvailableReplicas(available)
                .endStatus()
                .build();
    }

    private static ReplicaSet sized(String name, int size, int maxBefore, String created) {
        ReplicaSet set = set(name, "nginx:1", size, size, size, created);
        set.getMetadata().getAnnotations().put(Revisions.MAX_REPLICAS, Integer.toString(maxBefore));
        return set;
    }

    private static IntOrString intOrString(String text) {
        return text.endsWith("%") ? new IntOrString(text) : new IntOrString(Integer.parseInt(text));
    }
}
