package io.argosy.controllers;

import static io.argosy.controllers.Manifests.deployment;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.client.Resources.DeleteOptions;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens to dependents when their owners go. */
@Timeout(120)
class GarbageScenarioTest {
    private final FakeCluster cluster = new FakeCluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void aDeploymentDeletedInTheBackgroundTakesItsSetsAndPodsWithIt() {
        startDeployment();
        delete("Background");
        cluster.eventually(
                "everything collected",
                () -> cluster.pods().isEmpty() && cluster.replicaSets().isEmpty());
        assertThat(cluster.resources(Deployment.class).list("default", Map.of()))
                .isEmpty();
    }

    @Test
    void aDeploymentDeletedInTheForegroundGoesLast() {
        startDeployment();
        cluster.ends = pod -> false;
        delete("Foreground");
        cluster.eventually(
                "pods told to end",
                () -> cluster.pods().size() == 2
                        && cluster.pods().stream()
                                .allMatch(pod -> pod.getMetadata().getDeletionTimestamp() != null));
        cluster.settle();
        assertThat(cluster.pods()).hasSize(2);
        assertThat(cluster.resources(Deployment.class).list("default", Map.of()))
                .hasSize(1);
        assertThat(cluster.replicaSets()).hasSize(1);

        cluster.ends = pod -> true;
        for (var pod : cluster.pods()) {
            cluster.resources(io.fabric8.kubernetes.api.model.Pod.class)
                    .delete("default", pod.getMetadata().getName(), new DeleteOptions(0L, null, null, null));
        }
        cluster.eventually(
                "everything collected",
                () -> cluster.pods().isEmpty()
                        && cluster.replicaSets().isEmpty()
                        && cluster.resources(Deployment.class)
                                .list("default", Map.of())
                                .isEmpty());
    }

    @Test
    void anOrphaningDeletionLeavesTheDependentsWithoutOwner() {
        startDeployment();
        delete("Orphan");
        cluster.eventually(
                "deployment gone",
                () -> cluster.resources(Deployment.class)
                        .list("default", Map.of())
                        .isEmpty());
        cluster.settle();
        assertThat(cluster.replicaSets()).hasSize(1);
        assertThat(cluster.replicaSets().getFirst().getMetadata().getOwnerReferences())
                .isEmpty();
        assertThat(cluster.livingPods()).hasSize(2);
    }

    @Test
    void anObjectWhoseOwnerNeverExistedIsCollected() {
        OwnerReference nobody = new OwnerReferenceBuilder()
                .withApiVersion("v1")
                .withKind("ConfigMap")
                .withName("nobody")
                .withUid("00000000-0000-0000-0000-000000000001")
                .build();
        cluster.create(secret("default", "child", nobody));
        cluster.eventually(
                "collected",
                () -> cluster.resources(Secret.class).list("default", Map.of()).isEmpty());
    }

    @Test
    void anObjectWithOneLivingOwnerStaysAndLosesTheReferenceToTheDeadOne() {
        ConfigMap living = cluster.create(configMap("default", "living"));
        ConfigMap dead = cluster.create(configMap("default", "dead"));
        cluster.create(secret("default", "child", reference(living), reference(dead)));
        cluster.settle();
        cluster.resources(ConfigMap.class).delete("default", "dead", DeleteOptions.DEFAULT);
        cluster.eventually(
                "reference dropped",
                () -> cluster.resources(Secret.class)
                                .get("default", "child")
                                .getMetadata()
                                .getOwnerReferences()
                                .size()
                        == 1);
        assertThat(cluster.resources(Secret.class)
                        .get("default", "child")
                        .getMetadata()
                        .getOwnerReferences()
                        .getFirst()
                        .getName())
                .isEqualTo("living");
    }

    @Test
    void anOwnerInAnotherNamespaceCountsAsAbsentAndIsToldOf() {
        ConfigMap elsewhere = cluster.create(configMap("elsewhere", "owner"));
        cluster.settle();
        cluster.create(secret("default", "child", reference(elsewhere)));
        cluster.eventually(
                "collected",
                () -> cluster.resources(Secret.class).list("default", Map.of()).isEmpty());
        cluster.eventually(
                "told", () -> cluster.events.stream().anyMatch(event -> event.contains("OwnerRefInvalidNamespace")));
        assertThat(cluster.events)
                .anyMatch(event -> event.contains("ownerRef [v1/ConfigMap, namespace: default, name: owner, uid: "
                        + elsewhere.getMetadata().getUid() + "] does not exist in namespace \"default\""));
    }

    @Test
    void aClusterScopedOwnerOwnsObjectsInAnyNamespace() {
        Namespace owner = cluster.create(new NamespaceBuilder()
                .withNewMetadata()
                .withName("owner")
                .endMetadata()
                .build());
        cluster.create(secret("default", "child", reference(owner)));
        cluster.settle();
        assertThat(cluster.resources(Secret.class).list("default", Map.of())).hasSize(1);
        cluster.resources(Namespace.class).delete("", "owner", DeleteOptions.DEFAULT);
        cluster.eventually(
                "collected",
                () -> cluster.resources(Secret.class).list("default", Map.of()).isEmpty());
    }

    @Test
    void ownersLostWhileWatchesWereBrokenAreNoticedByTheNextList() {
        ConfigMap owner = cluster.create(configMap("default", "owner"));
        cluster.create(secret("default", "child", reference(owner)));
        cluster.settle();
        cluster.api.holdEvents();
        cluster.resources(ConfigMap.class).delete("default", "owner", DeleteOptions.DEFAULT);
        cluster.api.compact();
        cluster.api.dropWatches(null);
        cluster.api.releaseEvents();
        cluster.eventually(
                "collected",
                () -> cluster.resources(Secret.class).list("default", Map.of()).isEmpty());
    }

    /** Each blocks the deletion of the one before: somebody must give way, or all wait for ever. */
    @ParameterizedTest
    @ValueSource(strings = {"Foreground", "Background"})
    void aCircleOfOwnersIsCollectedOnceOneOfThemGoes(String policy) {
        List<String> names = List.of("a", "b", "c");
        names.forEach(name -> cluster.create(configMap("default", name)));
        for (int i = 0; i < names.size(); i++) {
            ConfigMap owner = cluster.resources(ConfigMap.class).get("default", names.get(i));
            ConfigMap owned = cluster.resources(ConfigMap.class).get("default", names.get((i + 1) % names.size()));
            cluster.resources(ConfigMap.class)
                    .update(new ConfigMapBuilder(owned)
                            .editMetadata()
                            .withOwnerReferences(new OwnerReferenceBuilder(reference(owner))
                                    .withBlockOwnerDeletion(true)
                                    .build())
                            .endMetadata()
                            .build());
        }
        cluster.settle();
        assertThat(cluster.resources(ConfigMap.class).list("default", Map.of())).hasSize(3);
        cluster.resources(ConfigMap.class).delete("default", "b", new DeleteOptions(null, policy, null, null));
        cluster.eventually(
                "collected",
                () -> cluster.resources(ConfigMap.class)
                        .list("default", Map.of())
                        .isEmpty());
    }

    private void startDeployment() {
        cluster.create(deployment("nginx", 2, "nginx:1.7.9"));
        cluster.eventually("pods running", () -> cluster.livingPods().size() == 2);
        cluster.settle();
    }

    private void delete(String policy) {
        cluster.resources(Deployment.class).delete("default", "nginx", new DeleteOptions(null, policy, null, null));
    }

    private static ConfigMap configMap(String namespace, String name) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .endMetadata()
                .build();
    }

    private static Secret secret(String namespace, String name, OwnerReference... owners) {
        return new SecretBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .withOwnerReferences(List.of(owners))
                .endMetadata()
                .build();
    }

    private static OwnerReference reference(HasMetadata owner) {
        return new OwnerReferenceBuilder()
                .withApiVersion(owner.getApiVersion())
                .withKind(owner.getKind())
                .withName(owner.getMetadata().getName())
                .withUid(owner.getMetadata().getUid())
                .build();
    }
}
