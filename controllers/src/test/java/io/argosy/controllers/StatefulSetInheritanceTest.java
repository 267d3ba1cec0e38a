package io.argosy.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.GroupResource;
import io.argosy.api.status.ApiException;
import io.argosy.client.ApiTransport.Verb;
import io.argosy.client.Resources.DeleteOptions;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.api.model.apps.ControllerRevisionBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a stateful set finds under its names: its own from before, or somebody else's. */
@Timeout(120)
class StatefulSetInheritanceTest extends StatefulSetStage {
    @Test
    void aSetThatComesBackAfterOrphaningKeepsItsPodsAndItsHistory() {
        cluster.create(set(2));
        awaitReady(2);
        change(builder -> builder.editSpec().withTemplate(template("nginx:2")).endSpec());
        cluster.eventually("updated", () -> image("web-0").equals("nginx:2") && status().getUpdatedReplicas() == 2);
        cluster.settle(); // the collector knows all pods that it is to set free
        List<String> pods = uids();
        cluster.resources(StatefulSet.class).delete("default", "web", new DeleteOptions(null, "Orphan", null, null));
        cluster.eventually(
                "set gone, the rest free",
                () -> cluster.resources(StatefulSet.class)
                                .find("default", "web")
                                .isEmpty()
                        && revisions().stream()
                                .allMatch(revision -> revision.getMetadata()
                                        .getOwnerReferences()
                                        .isEmpty()));
        cluster.create(new StatefulSetBuilder(set(2))
                .editSpec()
                .withTemplate(template("nginx:2"))
                .endSpec()
                .build());
        awaitReady(2);
        cluster.settle();
        assertThat(uids()).isEqualTo(pods);
        String uid = cluster.resources(StatefulSet.class)
                .get("default", "web")
                .getMetadata()
                .getUid();
        assertThat(revisions())
                .hasSize(2)
                .allSatisfy(revision -> assertThat(revision.getMetadata()
                                .getOwnerReferences()
                                .getFirst()
                                .getUid())
                        .isEqualTo(uid));
        assertThat(status().getCollisionCount()).isZero();
    }

    @Test
    void aRevisionWhoseNameIsTakenByAnotherTemplateGetsAnotherName() {
        cluster.create(set(1));
        awaitReady(1);
        ControllerRevision taken = new ControllerRevisionBuilder(revisions().getFirst())
                .withMetadata(new ObjectMetaBuilder()
                        .withNamespace("default")
                        .withName(revisions().getFirst().getMetadata().getName())
                        .build())
                .withData(Map.of("spec", Map.of()))
                .build();
        cluster.resources(StatefulSet.class).delete("default", "web", DeleteOptions.background());
        cluster.eventually("gone", () -> revisions().isEmpty() && cluster.pods().isEmpty());
        cluster.create(taken);
        cluster.create(set(1));
        awaitReady(1);
        assertThat(status().getCollisionCount()).isEqualTo(1);
        assertThat(status().getCurrentRevision())
                .isNotEqualTo(taken.getMetadata().getName());
    }

    @Test
    void aStrangerOfItsNameHoldsUpTheSetOnlyWhileItIsThere() {
        cluster.create(Manifests.pod("web-0", Map.of()));
        cluster.create(set(1));
        cluster.settle();
        assertThat(cluster.pods())
                .singleElement()
                .satisfies(pod ->
                        assertThat(pod.getMetadata().getOwnerReferences()).isEmpty());
        cluster.resources(Pod.class).delete("default", "web-0", DeleteOptions.DEFAULT);
        awaitReady(1);
        assertThat(pod("web-0").getMetadata().getOwnerReferences()).hasSize(1);
    }

    @Test
    void anOrphanOfTheRightNameIsTakenInAndGetsItsLabels() {
        cluster.create(set(1));
        awaitReady(1);
        cluster.create(Manifests.pod("web-1", Map.of("app", "web")));
        cluster.settle();
        assertThat(cluster.livingPods()).as("one too many").hasSize(1);
        cluster.create(Manifests.pod("web-1", Map.of("app", "other")));
        change(builder -> builder.editSpec().withReplicas(2).endSpec());
        cluster.settle();
        Pod stranger = pod("web-1");
        stranger.getMetadata().setLabels(Map.of("app", "web"));
        cluster.resources(Pod.class).update(stranger);
        cluster.eventually(
                "known",
                () -> cluster.resources(Pod.class)
                        .find("default", "web-1")
                        .filter(pod ->
                                "web-1".equals(pod.getMetadata().getLabels().get("statefulset.kubernetes.io/pod-name")))
                        .isPresent());
    }

    @Test
    void aRefusedClaimIsTold() {
        cluster.api.failOnce(
                request -> request.verb() == Verb.CREATE && request.resource().equals("persistentvolumeclaims"),
                ApiException.forbidden(
                        new GroupResource("", "persistentvolumeclaims"), "www-web-0", "exceeded quota: none"));
        cluster.create(set(1));
        awaitReady(1);
        String refusal = "persistentvolumeclaims \"www-web-0\" is forbidden: exceeded quota: none";
        assertThat(podEvents("FailedCreate"))
                .containsExactly(
                        "Create Claim www-web-0 for Pod web-0 in StatefulSet web failed error: " + refusal,
                        "Create Pod web-0 in StatefulSet web failed error: failed to create PVC www-web-0: " + refusal);
    }

    @Test
    void aClaimThatAPendingPodHasLostIsMadeAgain() {
        cluster.runs = pod -> false;
        cluster.create(set(1));
        cluster.eventually("created", () -> cluster.pods().size() == 1);
        cluster.settle();
        cluster.resources(Pod.class)
                .updateStatus(new PodBuilder(pod("web-0"))
                        .withNewStatus()
                        .withPhase("Pending")
                        .endStatus()
                        .build());
        cluster.resources(PersistentVolumeClaim.class).delete("default", "www-web-0", DeleteOptions.DEFAULT);
        cluster.eventually("again", () -> claims().equals(List.of("www-web-0")));
    }

    @Test
    void aClaimThatAnotherControllerHasIsTheirsToKeep() {
        cluster.create(new PersistentVolumeClaimBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("www-web-0")
                .addNewOwnerReference()
                .withApiVersion("v1")
                .withKind("Node")
                .withName("n1")
                .withUid(cluster.resources(Node.class)
                        .get("", "n1")
                        .getMetadata()
                        .getUid())
                .withController(true)
                .endOwnerReference()
                .endMetadata()
                .withNewSpec()
                .withAccessModes("ReadWriteOnce")
                .endSpec()
                .build());
        cluster.create(new StatefulSetBuilder(set(1))
                .editSpec()
                .withNewPersistentVolumeClaimRetentionPolicy("Delete", "Delete")
                .endSpec()
                .build());
        awaitReady(1);
        cluster.settle();
        assertThat(cluster.resources(PersistentVolumeClaim.class)
                        .get("default", "www-web-0")
                        .getMetadata()
                        .getOwnerReferences())
                .extracting(owner -> owner.getKind())
                .containsExactly("Node");
        assertThat(podEvents("ConflictingController"))
                .contains("PersistentVolumeClaim www-web-0 has a conflicting OwnerReference that acts as a manging"
                        + " controller, the retention policy is ignored for this claim");
    }
}
