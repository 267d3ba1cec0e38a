package io.argosy.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.client.Resources.DeleteOptions;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimVolumeSource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Stateful sets keep order and identity. */
@Timeout(120)
class StatefulSetScenarioTest extends StatefulSetStage {
    @Test
    void podsComeInOrderWithNamesHostNamesAndClaims() {
        cluster.create(set(3));
        awaitReady(3);
        assertThat(podEvents("SuccessfulCreate: Create Pod"))
                .containsExactly(
                        "Create Pod web-0 in StatefulSet web successful",
                        "Create Pod web-1 in StatefulSet web successful",
                        "Create Pod web-2 in StatefulSet web successful");
        Pod pod = pod("web-1");
        assertThat(pod.getSpec().getHostname()).isEqualTo("web-1");
        assertThat(pod.getSpec().getSubdomain()).isEqualTo("nginx");
        assertThat(pod.getMetadata().getLabels())
                .containsEntry("statefulset.kubernetes.io/pod-name", "web-1")
                .containsEntry("apps.kubernetes.io/pod-index", "1");
        assertThat(pod.getSpec().getVolumes().getFirst().getPersistentVolumeClaim())
                .isEqualTo(new PersistentVolumeClaimVolumeSource("www-web-1", null));
        assertThat(cluster.resources(PersistentVolumeClaim.class).list("default", Map.of()))
                .extracting(claim -> claim.getMetadata().getName())
                .containsExactly("www-web-0", "www-web-1", "www-web-2");
    }

    @Test
    void theNextWaitsForTheOneBefore() {
        cluster.runs = pod -> false;
        cluster.create(set(2));
        cluster.eventually("first created", () -> cluster.pods().size() == 1);
        cluster.settle();
        assertThat(cluster.pods()).hasSize(1);
        cluster.runs = pod -> true;
        Pod first = pod("web-0");
        cluster.resources(Pod.class).updateStatus(cluster.running(first, true));
        awaitReady(2);
    }

    @Test
    void scalingDownTakesTheLastFirstAndKeepsTheClaims() {
        cluster.create(set(3));
        awaitReady(3);
        cluster.events.clear();
        change(builder -> builder.editSpec().withReplicas(1).endSpec());
        cluster.eventually("one left", () -> cluster.pods().size() == 1);
        assertThat(podEvents("SuccessfulDelete"))
                .containsExactly(
                        "Delete Pod web-2 in StatefulSet web successful",
                        "Delete Pod web-1 in StatefulSet web successful");
        assertThat(cluster.resources(PersistentVolumeClaim.class).list("default", Map.of()))
                .hasSize(3);
    }

    @Test
    void aDeletedPodComesBackAsItWas() {
        cluster.create(set(2));
        awaitReady(2);
        String uid = pod("web-0").getMetadata().getUid();
        cluster.resources(Pod.class).delete("default", "web-0", DeleteOptions.DEFAULT);
        cluster.eventually(
                "back",
                () -> cluster.resources(Pod.class)
                        .find("default", "web-0")
                        .filter(pod -> !pod.getMetadata().getUid().equals(uid))
                        .isPresent());
        awaitReady(2);
    }

    @Test
    void anUpdateGoesFromTheLastDownToThePartitionAndPodsBelowComeBackOld() {
        cluster.create(set(3));
        awaitReady(3);
        change(builder -> builder.editSpec()
                .editOrNewUpdateStrategy()
                .withType("RollingUpdate")
                .withNewRollingUpdate()
                .withPartition(2)
                .endRollingUpdate()
                .endUpdateStrategy()
                .withTemplate(template("nginx:2"))
                .endSpec());
        cluster.eventually("last updated", () -> image("web-2").equals("nginx:2"));
        awaitReady(3);
        assertThat(image("web-1")).isEqualTo("nginx:1");
        cluster.resources(Pod.class).delete("default", "web-0", DeleteOptions.DEFAULT);
        cluster.settle();
        awaitReady(3);
        assertThat(image("web-0")).isEqualTo("nginx:1");
        assertThat(status().getUpdatedReplicas()).isEqualTo(1);
        assertThat(status().getCurrentRevision()).isNotEqualTo(status().getUpdateRevision());

        change(builder -> builder.editSpec()
                .editUpdateStrategy()
                .editRollingUpdate()
                .withPartition(0)
                .endRollingUpdate()
                .endUpdateStrategy()
                .endSpec());
        cluster.eventually(
                "all updated",
                () -> Integer.valueOf(3).equals(status().getUpdatedReplicas())
                        && status().getUpdateRevision().equals(status().getCurrentRevision()));
        assertThat(image("web-0")).isEqualTo("nginx:2");
    }

    @Test
    void goingBackToAnOldTemplateGivesItsRevisionTheHighestNumber() {
        cluster.create(set(1));
        awaitReady(1);
        change(builder -> builder.editSpec().withTemplate(template("nginx:2")).endSpec());
        cluster.eventually("updated", () -> image("web-0").equals("nginx:2"));
        change(builder -> builder.editSpec().withTemplate(template("nginx:1")).endSpec());
        cluster.eventually("back", () -> image("web-0").equals("nginx:1"));
        cluster.settle();
        assertThat(cluster.resources(ControllerRevision.class).list("default", Map.of()))
                .extracting(ControllerRevision::getRevision)
                .containsExactlyInAnyOrder(2L, 3L);
    }

    @Test
    void parallelSetsDoNotWait() {
        cluster.runs = pod -> false;
        cluster.create(new StatefulSetBuilder(set(3))
                .editSpec()
                .withPodManagementPolicy("Parallel")
                .endSpec()
                .build());
        cluster.eventually("all created", () -> cluster.pods().size() == 3);
    }

    @Test
    void claimsGoWithSurplusPodsAndWithTheSetWhereThePolicySaysSo() {
        cluster.create(new StatefulSetBuilder(set(3))
                .editSpec()
                .withNewPersistentVolumeClaimRetentionPolicy("Delete", "Delete")
                .endSpec()
                .build());
        awaitReady(3);
        assertThat(claims()).containsExactly("www-web-0", "www-web-1", "www-web-2");
        change(builder -> builder.editSpec().withReplicas(1).endSpec());
        awaitReady(1);
        cluster.eventually("surplus claims gone", () -> claims().equals(List.of("www-web-0")));
        change(builder -> builder.editSpec().withReplicas(2).endSpec());
        awaitReady(2);
        assertThat(claims()).containsExactly("www-web-0", "www-web-1");
        cluster.resources(StatefulSet.class)
                .delete("default", "web", io.argosy.client.Resources.DeleteOptions.background());
        cluster.eventually(
                "all gone", () -> claims().isEmpty() && cluster.pods().isEmpty());
    }

    @Test
    void ordinalsMayStartElsewhere() {
        cluster.create(new StatefulSetBuilder(set(2))
                .editSpec()
                .withNewOrdinals(5)
                .endSpec()
                .build());
        awaitReady(2);
        assertThat(claims()).containsExactly("www-web-5", "www-web-6");
        change(builder -> builder.editSpec().withNewOrdinals(6).endSpec());
        cluster.eventually(
                "moved on",
                () -> cluster.livingPods().stream()
                        .map(pod -> pod.getMetadata().getName())
                        .sorted()
                        .toList()
                        .equals(List.of("web-6", "web-7")));
    }

    @Test
    void onDeleteANewTemplateComesWhereAPodIsDeleted() {
        cluster.create(set(2));
        awaitReady(2);
        change(builder -> builder.editSpec()
                .withNewUpdateStrategy()
                .withType("OnDelete")
                .endUpdateStrategy()
                .withTemplate(template("nginx:2"))
                .endSpec());
        cluster.settle();
        assertThat(List.of(image("web-0"), image("web-1"))).containsExactly("nginx:1", "nginx:1");
        cluster.resources(Pod.class).delete("default", "web-0", DeleteOptions.DEFAULT);
        cluster.eventually("new", () -> image("web-0").equals("nginx:2"));
        awaitReady(2);
        assertThat(image("web-1")).isEqualTo("nginx:1");
    }

    @Test
    void asManyAreReplacedAtOnceAsMayBeMissing() {
        cluster.create(set(4));
        awaitReady(4);
        cluster.runs =
                pod -> pod.getSpec().getContainers().getFirst().getImage().equals("nginx:1");
        change(builder -> builder.editSpec()
                .withNewUpdateStrategy()
                .withType("RollingUpdate")
                .withNewRollingUpdate()
                .withPartition(0)
                .withMaxUnavailable(new IntOrString(2))
                .endRollingUpdate()
                .endUpdateStrategy()
                .withTemplate(template("nginx:2"))
                .endSpec());
        cluster.eventually(
                "first two gone",
                () -> cluster.events.stream()
                                .filter(event -> event.contains("SuccessfulDelete"))
                                .count()
                        == 2);
        cluster.settle();
        assertThat(podEvents("SuccessfulDelete"))
                .containsExactlyInAnyOrder(
                        "Delete Pod web-3 in StatefulSet web successful",
                        "Delete Pod web-2 in StatefulSet web successful");
        assertThat(status().getReadyReplicas()).isEqualTo(2);
    }

    @Test
    void theNextWaitsUntilTheOneBeforeIsAvailable() {
        cluster.create(new StatefulSetBuilder(set(2))
                .editSpec()
                .withMinReadySeconds(30)
                .endSpec()
                .build());
        cluster.eventually("first ready", () -> Integer.valueOf(1).equals(status().getReadyReplicas()));
        cluster.settle();
        assertThat(cluster.pods()).hasSize(1);
        assertThat(status().getAvailableReplicas()).isZero();
        cluster.advance(java.time.Duration.ofSeconds(30));
        awaitReady(2);
    }
}
