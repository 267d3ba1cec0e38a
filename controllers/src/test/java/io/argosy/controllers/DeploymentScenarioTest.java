package io.argosy.controllers;

import static io.argosy.controllers.Manifests.deployment;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.GroupResource;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.client.ApiTransport.Verb;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.client.Resources.PatchType;
import io.argosy.client.model.Models;
import io.argosy.controllers.pod.Pods;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.apps.DeploymentCondition;
import io.fabric8.kubernetes.api.model.apps.DeploymentStatus;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The life of a deployment, as users of kubectl see it. */
@Timeout(120)
class DeploymentScenarioTest {
    private final FakeCluster cluster = new FakeCluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void aNewDeploymentGetsItsPodsItsRevisionAndItsConditions() {
        cluster.create(deployment("nginx", 3, "nginx:1.7.9"));
        awaitRolledOut("nginx");

        ReplicaSet set = cluster.replicaSets().getFirst();
        String hash = set.getMetadata().getLabels().get("pod-template-hash");
        assertThat(set.getMetadata().getName()).isEqualTo("nginx-" + hash);
        assertThat(set.getSpec().getSelector().getMatchLabels()).containsEntry("pod-template-hash", hash);
        assertThat(set.getMetadata().getAnnotations())
                .containsEntry("deployment.kubernetes.io/revision", "1")
                .containsEntry("deployment.kubernetes.io/desired-replicas", "3")
                .containsEntry("deployment.kubernetes.io/max-replicas", "4")
                .containsEntry("kubernetes.io/change-cause", "first");
        assertThat(cluster.deployment("nginx").getMetadata().getAnnotations())
                .containsEntry("deployment.kubernetes.io/revision", "1");
        assertThat(condition("nginx", "Available").getReason()).isEqualTo("MinimumReplicasAvailable");
        assertThat(condition("nginx", "Progressing").getReason()).isEqualTo("NewReplicaSetAvailable");
        assertThat(condition("nginx", "Progressing").getMessage())
                .isEqualTo("ReplicaSet \"nginx-" + hash + "\" has successfully progressed.");
        assertThat(cluster.told())
                .contains("Normal Deployment/nginx ScalingReplicaSet: Scaled up replica set nginx-" + hash
                        + " from 0 to 3");
        assertThat(cluster.livingPods())
                .hasSize(3)
                .allSatisfy(pod -> assertThat(pod.getMetadata().getName()).startsWith("nginx-" + hash + "-"));
        assertThat(cluster.told())
                .filteredOn(event -> event.contains("SuccessfulCreate"))
                .hasSize(3)
                .allSatisfy(event -> assertThat(event)
                        .startsWith(
                                "Normal ReplicaSet/nginx-" + hash + " SuccessfulCreate: Created pod: nginx-" + hash));
    }

    @Test
    void aReplicaSetWhoseNameIsTakenGetsAnotherName() {
        cluster.create(deployment("nginx", 1, "nginx:1.7.9"));
        awaitRolledOut("nginx");
        String name = cluster.replicaSets().getFirst().getMetadata().getName();
        cluster.resources(Deployment.class).delete("default", "nginx", DeleteOptions.background());
        cluster.eventually(
                "gone", () -> cluster.replicaSets().isEmpty() && cluster.pods().isEmpty());
        cluster.create(Manifests.replicaSet(name, 0));
        cluster.create(deployment("nginx", 1, "nginx:1.7.9"));
        awaitRolledOut("nginx");
        assertThat(status("nginx").getCollisionCount()).isEqualTo(1);
        assertThat(cluster.replicaSets())
                .filteredOn(set -> !set.getMetadata().getName().equals(name))
                .singleElement()
                .satisfies(set ->
                        assertThat(set.getMetadata().getOwnerReferences()).hasSize(1));
    }

    @Test
    void aReplicaSetThatIsRefusedShowsInEventAndConditionUntilItIsMade() {
        cluster.api.failOnce(
                request -> request.verb() == Verb.CREATE && request.resource().equals("replicasets"),
                ApiException.forbidden(new GroupResource("apps", "replicasets"), "nginx", "not today"));
        cluster.create(deployment("nginx", 1, "nginx:1.7.9"));
        cluster.eventually(
                "told",
                () -> cluster.events.stream()
                        .anyMatch(event -> event.startsWith(
                                "Warning Deployment/nginx ReplicaSetCreateError: Failed to create new replica"
                                        + " set \"nginx-")));
        awaitRolledOut("nginx");
        assertThat(condition("nginx", "Progressing").getReason()).isEqualTo("NewReplicaSetAvailable");
    }

    /** What {@code kubectl rollout undo --to-revision=1} does after {@code kubectl set image --record}. */
    @Test
    void goingBackToAnEarlierRevisionMakesItTheNewestWithItsCause() {
        cluster.create(deployment("nginx", 1, "nginx:1"));
        awaitRolledOut("nginx");
        for (String image : List.of("nginx:2", "nginx:3")) {
            change(
                    "nginx",
                    builder -> builder.editMetadata()
                            .addToAnnotations("kubernetes.io/change-cause", "set image " + image)
                            .endMetadata()
                            .editSpec()
                            .withTemplate(Manifests.template("nginx", image))
                            .endSpec());
            awaitRolledOut("nginx");
        }
        assertThat(causes()).isEqualTo(Map.of("1", "first", "2", "set image nginx:2", "3", "set image nginx:3"));
        ReplicaSet first = cluster.replicaSets().stream()
                .filter(set -> "1".equals(revision(set)))
                .findFirst()
                .orElseThrow();
        change(
                "nginx",
                builder -> builder.editMetadata()
                        .addToAnnotations("kubernetes.io/change-cause", "first")
                        .endMetadata()
                        .editSpec()
                        .withTemplate(first.getSpec().getTemplate())
                        .editTemplate()
                        .editMetadata()
                        .removeFromLabels("pod-template-hash")
                        .endMetadata()
                        .endTemplate()
                        .endSpec());
        awaitRolledOut("nginx");
        assertThat(causes()).isEqualTo(Map.of("2", "set image nginx:2", "3", "set image nginx:3", "4", "first"));
        assertThat(cluster.livingPods()
                        .getFirst()
                        .getSpec()
                        .getContainers()
                        .getFirst()
                        .getImage())
                .isEqualTo("nginx:1");
    }

    /** What {@code kubectl rollout restart} does. */
    @Test
    void aRestartReplacesEveryPodByOneOfTheSameImage() {
        cluster.create(deployment("nginx", 3, "nginx:1"));
        awaitRolledOut("nginx");
        List<String> before = uids();
        cluster.fewestAvailable.set(Integer.MAX_VALUE);
        change(
                "nginx",
                builder -> builder.editSpec()
                        .editTemplate()
                        .editMetadata()
                        .addToAnnotations("kubectl.kubernetes.io/restartedAt", "2026-01-01T00:00:00Z")
                        .endMetadata()
                        .endTemplate()
                        .endSpec());
        awaitRolledOut("nginx");
        assertThat(uids()).hasSize(3).doesNotContainAnyElementsOf(before);
        assertThat(cluster.fewestAvailable.get()).isGreaterThanOrEqualTo(2);
        assertThat(sizes()).containsExactlyInAnyOrder(0, 3);
    }

    private List<String> uids() {
        return cluster.livingPods().stream()
                .map(pod -> pod.getMetadata().getUid())
                .toList();
    }

    private Map<String, String> causes() {
        return cluster.replicaSets().stream()
                .collect(Collectors.toMap(
                        DeploymentScenarioTest::revision,
                        set -> set.getMetadata().getAnnotations().get("kubernetes.io/change-cause")));
    }

    private static String revision(ReplicaSet set) {
        return set.getMetadata().getAnnotations().get("deployment.kubernetes.io/revision");
    }

    @Test
    void aRollingUpdateOfThreeKeepsTwoServingAndNeverExceedsFour() {
        cluster.create(deployment("nginx", 3, "nginx:1.7.9"));
        awaitRolledOut("nginx");
        cluster.fewestAvailable.set(Integer.MAX_VALUE);
        cluster.mostPods.set(0);

        setImage("nginx", "nginx:1.9.1");
        awaitRolledOut("nginx");

        assertThat(cluster.fewestAvailable.get()).isGreaterThanOrEqualTo(2);
        assertThat(cluster.mostPods.get()).isLessThanOrEqualTo(4);
        assertThat(cluster.replicaSets()).hasSize(2);
        assertThat(sizes()).containsExactlyInAnyOrder(0, 3);
        assertThat(cluster.livingPods())
                .allSatisfy(pod -> assertThat(
                                pod.getSpec().getContainers().getFirst().getImage())
                        .isEqualTo("nginx:1.9.1"));
        assertThat(cluster.deployment("nginx").getMetadata().getAnnotations())
                .containsEntry("deployment.kubernetes.io/revision", "2");
    }

    @Test
    void aBadImageStopsTheRolloutWithTheOldPodsServingAndUndoBringsItBack() {
        cluster.create(deployment("nginx", 3, "nginx:1.7.9"));
        awaitRolledOut("nginx");
        PodTemplateSpec good = cluster.deployment("nginx").getSpec().getTemplate();
        cluster.fewestAvailable.set(Integer.MAX_VALUE);

        setImage("nginx", "nginx:bad");
        cluster.settle();
        assertThat(sizes()).containsExactlyInAnyOrder(2, 2);
        assertThat(cluster.fewestAvailable.get()).isGreaterThanOrEqualTo(2);

        cluster.advance(Duration.ofSeconds(700));
        cluster.eventually(
                "deadline noticed",
                () -> condition("nginx", "Progressing").getReason().equals("ProgressDeadlineExceeded"));
        assertThat(condition("nginx", "Progressing").getStatus()).isEqualTo("False");
        assertThat(condition("nginx", "Progressing").getMessage()).contains("has timed out progressing.");

        change("nginx", builder -> builder.editSpec().withTemplate(good).endSpec());
        awaitRolledOut("nginx");
        assertThat(sizes()).containsExactlyInAnyOrder(0, 3);
        assertThat(cluster.fewestAvailable.get()).isGreaterThanOrEqualTo(2);
        ReplicaSet restored = cluster.replicaSets().stream()
                .filter(set -> set.getSpec().getReplicas() == 3)
                .findFirst()
                .orElseThrow();
        assertThat(restored.getMetadata().getAnnotations())
                .containsEntry("deployment.kubernetes.io/revision", "3")
                .containsEntry("deployment.kubernetes.io/revision-history", "1");
        assertThat(cluster.deployment("nginx").getMetadata().getAnnotations())
                .containsEntry("deployment.kubernetes.io/revision", "3");
    }

    @Test
    void scalingUpAndDownChangesOnlyTheNumberOfPods() {
        cluster.create(deployment("nginx", 3, "nginx:1.7.9"));
        awaitRolledOut("nginx");
        scale("nginx", 5);
        awaitRolledOut("nginx");
        assertThat(cluster.livingPods()).hasSize(5);
        scale("nginx", 1);
        awaitRolledOut("nginx");
        assertThat(cluster.livingPods()).hasSize(1);
        assertThat(cluster.replicaSets()).hasSize(1);
        assertThat(cluster.told()).anyMatch(event -> event.endsWith("from 3 to 5"));
        assertThat(cluster.told())
                .anyMatch(event -> event.contains("Scaled down replica set") && event.endsWith("from 5 to 1"));
        assertThat(cluster.told())
                .filteredOn(event -> event.contains("SuccessfulDelete"))
                .hasSize(4);
    }

    @Test
    void aPausedDeploymentCollectsEditsAndMakesOneReplicaSetWhenResumed() {
        cluster.create(deployment("nginx", 3, "nginx:1.7.9"));
        awaitRolledOut("nginx");
        change("nginx", builder -> builder.editSpec().withPaused(true).endSpec());
        setImage("nginx", "nginx:1.8");
        setImage("nginx", "nginx:1.9.1");
        cluster.settle();
        assertThat(cluster.replicaSets()).hasSize(1);
        assertThat(condition("nginx", "Progressing").getReason()).isEqualTo("DeploymentPaused");
        assertThat(condition("nginx", "Progressing").getStatus()).isEqualTo("Unknown");

        change("nginx", builder -> builder.editSpec().withPaused(null).endSpec());
        awaitRolledOut("nginx");
        assertThat(cluster.replicaSets()).hasSize(2);
    }

    @Test
    void recreateEndsAllOldPodsBeforeItStartsNewOnes() {
        cluster.create(new DeploymentBuilder(deployment("nginx", 3, "nginx:1.7.9"))
                .editSpec()
                .withNewStrategy()
                .withType("Recreate")
                .endStrategy()
                .endSpec()
                .build());
        awaitRolledOut("nginx");
        cluster.ends = pod -> false;
        setImage("nginx", "nginx:1.9.1");
        cluster.eventually("old pods told to end", () -> cluster.pods().stream().allMatch(Pods::isDeleting));
        cluster.settle();
        assertThat(cluster.pods())
                .hasSize(3)
                .allSatisfy(pod -> assertThat(
                                pod.getSpec().getContainers().getFirst().getImage())
                        .isEqualTo("nginx:1.7.9"));

        cluster.ends = pod -> true;
        for (var pod : cluster.pods()) {
            cluster.resources(io.fabric8.kubernetes.api.model.Pod.class)
                    .delete(
                            "default",
                            pod.getMetadata().getName(),
                            new io.argosy.client.Resources.DeleteOptions(0L, null, null, null));
        }
        awaitRolledOut("nginx");
        assertThat(cluster.livingPods())
                .hasSize(3)
                .allSatisfy(pod -> assertThat(
                                pod.getSpec().getContainers().getFirst().getImage())
                        .isEqualTo("nginx:1.9.1"));
    }

    @Test
    void aScaleDuringARolloutIsSharedByOldAndNew() {
        Deployment ten = deployment("nginx", 10, "nginx:1.7.9");
        ten.getSpec().getStrategy().getRollingUpdate().getMaxSurge().setValue(3);
        ten.getSpec().getStrategy().getRollingUpdate().getMaxUnavailable().setValue(2);
        cluster.create(ten);
        awaitRolledOut("nginx");
        setImage("nginx", "nginx:bad");
        cluster.settle();
        assertThat(sizes()).containsExactlyInAnyOrder(8, 5);
        scale("nginx", 15);
        cluster.settle();
        assertThat(sizes()).containsExactlyInAnyOrder(11, 7);
    }

    @Test
    void onlyAsManyOldReplicaSetsAreKeptAsHistoryAllows() {
        cluster.create(new DeploymentBuilder(deployment("nginx", 1, "nginx:0"))
                .editSpec()
                .withRevisionHistoryLimit(2)
                .endSpec()
                .build());
        awaitRolledOut("nginx");
        for (int i = 1; i <= 4; i++) {
            setImage("nginx", "nginx:" + i);
            awaitRolledOut("nginx");
        }
        cluster.eventually("old sets cleaned up", () -> cluster.replicaSets().size() == 3);
        cluster.settle();
        assertThat(cluster.replicaSets())
                .extracting(set -> set.getMetadata().getAnnotations().get("deployment.kubernetes.io/revision"))
                .containsExactlyInAnyOrder("3", "4", "5");
    }

    @Test
    void aReplicaSetOfTheSameTemplateWithoutOwnerIsAdopted() {
        Deployment deployment = deployment("nginx", 2, "nginx:1.7.9");
        cluster.create(deployment);
        awaitRolledOut("nginx");
        ReplicaSet set = cluster.replicaSets().getFirst();
        JsonNode noOwners = Json.object().set("metadata", Json.object().set("ownerReferences", Json.NODES.arrayNode()));
        cluster.resources(ReplicaSet.class).patch("default", set.getMetadata().getName(), PatchType.MERGE, noOwners);
        cluster.eventually(
                "adopted again",
                () -> !cluster.replicaSets()
                        .getFirst()
                        .getMetadata()
                        .getOwnerReferences()
                        .isEmpty());
        assertThat(cluster.replicaSets()).hasSize(1);
    }

    @Test
    void minReadySecondsHoldTheRolloutUntilPodsHaveProvedThemselves() {
        cluster.create(new DeploymentBuilder(deployment("nginx", 3, "nginx:1.7.9"))
                .editSpec()
                .withMinReadySeconds(60)
                .endSpec()
                .build());
        cluster.eventually("all ready", () -> number(status("nginx").getReadyReplicas()) == 3);
        cluster.settle();
        assertThat(number(status("nginx").getAvailableReplicas())).isZero();
        cluster.advance(Duration.ofSeconds(61));
        awaitRolledOut("nginx");
    }

    private void setImage(String name, String image) {
        change(
                name,
                builder -> builder.editSpec()
                        .withTemplate(
                                new PodTemplateSpecBuilder(builder.buildSpec().getTemplate())
                                        .editSpec()
                                        .editFirstContainer()
                                        .withImage(image)
                                        .endContainer()
                                        .endSpec()
                                        .build())
                        .endSpec());
    }

    private void scale(String name, int replicas) {
        change(name, builder -> builder.editSpec().withReplicas(replicas).endSpec());
    }

    private void change(String name, UnaryOperator<DeploymentBuilder> change) {
        cluster.eventually("change accepted", () -> {
            try {
                Deployment fresh = Models.copy(cluster.deployment(name));
                cluster.resources(Deployment.class)
                        .update(change.apply(new DeploymentBuilder(fresh)).build());
                return true;
            } catch (io.argosy.api.status.ApiException conflict) {
                return false;
            }
        });
    }

    /** What {@code kubectl rollout status} waits for. */
    private void awaitRolledOut(String name) {
        cluster.eventually("rollout of " + name, () -> {
            Deployment deployment = cluster.deployment(name);
            DeploymentStatus status = deployment.getStatus();
            int replicas = deployment.getSpec().getReplicas();
            return status != null
                    && deployment.getMetadata().getGeneration().equals(status.getObservedGeneration())
                    && number(status.getUpdatedReplicas()) == replicas
                    && number(status.getReplicas()) == replicas
                    && number(status.getAvailableReplicas()) == replicas
                    && new java.util.ArrayList<>(status.getConditions())
                            .stream().anyMatch(condition -> "NewReplicaSetAvailable".equals(condition.getReason()));
        });
        cluster.settle();
    }

    private DeploymentStatus status(String name) {
        DeploymentStatus status = cluster.deployment(name).getStatus();
        return status == null ? new DeploymentStatus() : status;
    }

    private DeploymentCondition condition(String name, String type) {
        return status(name).getConditions().stream()
                .filter(condition -> condition.getType().equals(type))
                .findFirst()
                .orElse(new DeploymentCondition());
    }

    private List<Integer> sizes() {
        return cluster.replicaSets().stream()
                .map(set -> set.getSpec().getReplicas())
                .toList();
    }

    private static int number(Integer count) {
        return count == null ? 0 : count;
    }
}
