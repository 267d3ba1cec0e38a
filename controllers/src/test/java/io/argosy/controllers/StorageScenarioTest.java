package io.argosy.controllers;

import static io.argosy.controllers.volume.Storage.claim;
import static io.argosy.controllers.volume.Storage.storageClass;
import static io.argosy.controllers.volume.Storage.volume;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.status.ApiException;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.controllers.volume.Storage;
import io.argosy.controllers.volume.StorageNames;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.storage.StorageClassBuilder;
import io.fabric8.kubernetes.api.model.storage.VolumeAttributesClass;
import io.fabric8.kubernetes.api.model.storage.VolumeAttributesClassBuilder;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Claims and volumes find each other, keep each other, and part. */
@Timeout(120)
class StorageScenarioTest {
    private final FakeCluster cluster = new FakeCluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void aClaimAndAVolumeAreBoundWhicheverComesFirst() {
        cluster.create(claim("early", "1Gi", ""));
        cluster.eventually("told", () -> cluster.events.stream().anyMatch(event -> event.contains("FailedBinding")));
        cluster.create(fresh("v1", "1Gi", ""));
        awaitClaim("early", "Bound");
        PersistentVolumeClaim bound = claimNamed("early");
        assertThat(bound.getSpec().getVolumeName()).isEqualTo("v1");
        assertThat(bound.getStatus().getCapacity()).containsEntry("storage", new Quantity("1Gi"));
        assertThat(bound.getMetadata().getAnnotations())
                .containsEntry(StorageNames.BIND_COMPLETED, "yes")
                .containsEntry(StorageNames.BOUND_BY_CONTROLLER, "yes");
        PersistentVolume taken = volumeNamed("v1");
        assertThat(taken.getStatus().getPhase()).isEqualTo("Bound");
        assertThat(taken.getSpec().getClaimRef().getUid())
                .isEqualTo(bound.getMetadata().getUid());

        cluster.create(fresh("v2", "1Gi", ""));
        awaitVolume("v2", "Available");
        cluster.create(claim("late", "1Gi", ""));
        awaitClaim("late", "Bound");
    }

    @Test
    void manyClaimsGetAVolumeEach() {
        for (int i = 0; i < 10; i++) {
            cluster.create(claim("c" + i, "1Gi", ""));
        }
        for (int i = 0; i < 10; i++) {
            cluster.create(fresh("v" + i, "1Gi", ""));
        }
        for (int i = 0; i < 10; i++) {
            awaitClaim("c" + i, "Bound");
        }
        assertThat(cluster.resources(PersistentVolumeClaim.class).list("default", Map.of()))
                .extracting(claim -> claim.getSpec().getVolumeName())
                .doesNotHaveDuplicates();
    }

    @Test
    void aRetainedVolumeIsReleasedAndNotGivenToTheNextOfThatName() {
        cluster.create(fresh("v", "1Gi", ""));
        cluster.create(claim("c", "1Gi", ""));
        awaitClaim("c", "Bound");
        cluster.settle();
        cluster.resources(PersistentVolumeClaim.class).delete("default", "c", DeleteOptions.DEFAULT);
        awaitVolume("v", "Released");
        cluster.create(claim("c", "1Gi", ""));
        cluster.eventually("told", () -> cluster.events.stream().anyMatch(event -> event.contains("FailedBinding")));
        assertThat(volumeNamed("v").getStatus().getPhase()).isEqualTo("Released");
    }

    @Test
    void recyclingIsRefused() {
        cluster.create(new PersistentVolumeBuilder(fresh("v", "1Gi", ""))
                .editSpec()
                .withPersistentVolumeReclaimPolicy("Recycle")
                .endSpec()
                .build());
        cluster.create(claim("c", "1Gi", ""));
        awaitClaim("c", "Bound");
        cluster.settle();
        cluster.resources(PersistentVolumeClaim.class).delete("default", "c", DeleteOptions.DEFAULT);
        awaitVolume("v", "Failed");
        assertThat(cluster.told())
                .contains("Warning PersistentVolume/v VolumeFailedRecycle: No recycler plugin found for the volume!");
    }

    @Test
    void aClaimInUseIsNotDeletedBeforeItsPod() {
        cluster.create(fresh("v", "1Gi", ""));
        cluster.create(claim("c", "1Gi", ""));
        awaitClaim("c", "Bound");
        cluster.ends = pod -> false;
        cluster.create(using("p", "c"));
        cluster.eventually("runs", () -> podNamed("p").getSpec().getNodeName() != null);
        cluster.settle();
        cluster.resources(PersistentVolumeClaim.class).delete("default", "c", DeleteOptions.DEFAULT);
        cluster.settle();
        assertThat(claimNamed("c").getMetadata().getDeletionTimestamp()).isNotNull();
        cluster.resources(PersistentVolume.class).delete("", "v", DeleteOptions.DEFAULT);
        cluster.settle();
        assertThat(volumeNamed("v").getMetadata().getDeletionTimestamp()).isNotNull();

        cluster.resources(Pod.class).delete("default", "p", new DeleteOptions(0L, null, null, null));
        cluster.eventually(
                "claim gone",
                () -> cluster.resources(PersistentVolumeClaim.class)
                        .find("default", "c")
                        .isEmpty());
        cluster.eventually(
                "volume gone",
                () -> cluster.resources(PersistentVolume.class).find("", "v").isEmpty());
    }

    @Test
    void aProvisionerIsAskedAndWhatItMakesIsBound() {
        cluster.create(storageClass("quick", "example.com/disks", "Immediate"));
        PersistentVolumeClaim claim = cluster.create(claim("c", "1Gi", "quick"));
        cluster.eventually("asked", () -> "example.com/disks".equals(annotation("c", StorageNames.PROVISIONER)));
        assertThat(cluster.told())
                .anyMatch(event -> event.contains("ExternalProvisioning: Waiting for a volume to be"
                        + " created either by the external provisioner 'example.com/disks' or manually"));
        cluster.create(Storage.meantFor(
                fresh("made", "1Gi", "quick"), "c", claim.getMetadata().getUid()));
        awaitClaim("c", "Bound");
    }

    @Test
    void theDefaultClassReachesClaimsThatWereThereBefore() {
        cluster.create(claim("c", "1Gi", null));
        cluster.settle();
        cluster.create(new StorageClassBuilder(storageClass("usual", "example.com/disks", "Immediate"))
                .editMetadata()
                .addToAnnotations("storageclass.kubernetes.io/is-default-class", "true")
                .endMetadata()
                .build());
        cluster.eventually(
                "assigned", () -> "usual".equals(claimNamed("c").getSpec().getStorageClassName()));
    }

    @Test
    void localVolumesAreSpreadOverTheNodesThatAreReady() {
        cluster.create(storageClass("disks", StorageNames.LOCAL_PROVISIONER, "Immediate"));
        for (String name : List.of("c1", "c2", "c3", "c4")) {
            cluster.create(claim(name, "1Gi", "disks"));
        }
        cluster.eventually(
                "two each",
                () -> Map.of("n1", 2L, "n2", 2L)
                        .equals(cluster.resources(PersistentVolumeClaim.class).list("default", Map.of()).stream()
                                .map(found -> annotation(found.getMetadata().getName(), StorageNames.SELECTED_NODE))
                                .map(String::valueOf)
                                .collect(Collectors.groupingBy(node -> node, Collectors.counting()))));
    }

    @Test
    void aPatientLocalVolumeIsMadeWhereItsPodIs() {
        cluster.create(storageClass("disks", StorageNames.LOCAL_PROVISIONER, "WaitForFirstConsumer"));
        cluster.create(claim("c", "1Gi", "disks"));
        cluster.settle();
        assertThat(cluster.told()).anyMatch(event -> event.contains("WaitForFirstConsumer"));
        cluster.create(using("p", "c"));
        cluster.eventually("chosen", () -> annotation("c", StorageNames.SELECTED_NODE) != null);
        assertThat(annotation("c", StorageNames.SELECTED_NODE))
                .isEqualTo(podNamed("p").getSpec().getNodeName());
        cluster.eventually("asked", () -> annotation("c", StorageNames.PROVISIONER) != null);
    }

    @Test
    void aLocalVolumeGrowsWithItsClaimWhenItsNodeHasSeenToIt() {
        cluster.create(new PersistentVolumeBuilder(fresh("v", "1Gi", "disks"))
                .editMetadata()
                .addToAnnotations(StorageNames.PROVISIONED_BY, StorageNames.LOCAL_PROVISIONER)
                .endMetadata()
                .build());
        cluster.create(claim("c", "1Gi", "disks"));
        awaitClaim("c", "Bound");
        changeClaim(
                "c",
                builder -> builder.editSpec()
                        .editResources()
                        .addToRequests("storage", new Quantity("3Gi"))
                        .endResources()
                        .endSpec());
        cluster.eventually(
                "to grow",
                () -> new Quantity("3Gi")
                        .equals(volumeNamed("v").getSpec().getCapacity().get("storage")));
        assertThat(cluster.told()).noneMatch(event -> event.contains("VolumeResizeSuccessful"));
        assertThat(claimNamed("c").getStatus().getCapacity()).containsEntry("storage", new Quantity("1Gi"));

        cluster.resources(PersistentVolume.class)
                .update(new PersistentVolumeBuilder(volumeNamed("v"))
                        .editMetadata()
                        .addToAnnotations(StorageNames.LOCAL_SIZE, String.valueOf(3L << 30))
                        .endMetadata()
                        .build());
        cluster.eventually(
                "grown",
                () -> new Quantity("3Gi")
                        .equals(claimNamed("c").getStatus().getCapacity().get("storage")));
        assertThat(cluster.told()).anyMatch(event -> event.endsWith("VolumeResizeSuccessful: Resize volume succeeded"));
    }

    @Test
    void anEphemeralVolumeGetsAClaimThatGoesWithThePod() {
        Pod pod = new PodBuilder(Manifests.pod("p", Map.of()))
                .editSpec()
                .addToVolumes(new VolumeBuilder()
                        .withName("scratch")
                        .withNewEphemeral()
                        .withNewVolumeClaimTemplate()
                        .withNewMetadata()
                        .addToLabels("kind", "scratch")
                        .endMetadata()
                        .withSpec(claim("x", "1Gi", "").getSpec())
                        .endVolumeClaimTemplate()
                        .endEphemeral()
                        .build())
                .endSpec()
                .build();
        cluster.create(pod);
        cluster.eventually(
                "claimed",
                () -> cluster.resources(PersistentVolumeClaim.class)
                        .find("default", "p-scratch")
                        .isPresent());
        PersistentVolumeClaim made = claimNamed("p-scratch");
        assertThat(made.getMetadata().getLabels()).containsEntry("kind", "scratch");
        assertThat(made.getMetadata().getOwnerReferences().getFirst().getName()).isEqualTo("p");
        cluster.settle();
        cluster.resources(Pod.class).delete("default", "p", DeleteOptions.DEFAULT);
        cluster.eventually(
                "gone",
                () -> cluster.resources(PersistentVolumeClaim.class)
                        .find("default", "p-scratch")
                        .isEmpty());
    }

    // ---- small steps ----

    /** As a user makes it: no phase yet. */
    private static PersistentVolume fresh(String name, String size, String className) {
        return new PersistentVolumeBuilder(volume(name, size, className))
                .withStatus(null)
                .build();
    }

    @Test
    void aClassOfAttributesStaysWhileAClaimHasIt() {
        cluster.create(new VolumeAttributesClassBuilder()
                .withNewMetadata()
                .withName("gold")
                .endMetadata()
                .withDriverName("disk.example.com")
                .build());
        cluster.create(new PersistentVolumeClaimBuilder(claim("data", "1Gi", ""))
                .editSpec()
                .withVolumeAttributesClassName("gold")
                .endSpec()
                .build());
        cluster.eventually(
                "protected",
                () -> cluster.resources(VolumeAttributesClass.class)
                        .get("", "gold")
                        .getMetadata()
                        .getFinalizers()
                        .contains(StorageNames.CLASS_PROTECTION));
        cluster.settle();
        cluster.resources(VolumeAttributesClass.class).delete("", "gold", DeleteOptions.DEFAULT);
        cluster.settle();
        assertThat(cluster.resources(VolumeAttributesClass.class).find("", "gold"))
                .isPresent();
        cluster.resources(PersistentVolumeClaim.class).delete("default", "data", DeleteOptions.DEFAULT);
        cluster.eventually(
                "gone",
                () -> cluster.resources(VolumeAttributesClass.class)
                        .find("", "gold")
                        .isEmpty());
    }

    private static Pod using(String name, String claim) {
        return new PodBuilder(Manifests.pod(name, Map.of()))
                .editSpec()
                .addNewVolume()
                .withName("data")
                .withNewPersistentVolumeClaim()
                .withClaimName(claim)
                .endPersistentVolumeClaim()
                .endVolume()
                .endSpec()
                .build();
    }

    private void changeClaim(String name, UnaryOperator<PersistentVolumeClaimBuilder> change) {
        cluster.eventually("change accepted", () -> {
            try {
                cluster.resources(PersistentVolumeClaim.class)
                        .update(change.apply(new PersistentVolumeClaimBuilder(claimNamed(name)))
                                .build());
                return true;
            } catch (ApiException conflict) {
                return false;
            }
        });
    }

    private void awaitClaim(String name, String phase) {
        cluster.eventually(name + " " + phase, () -> {
            PersistentVolumeClaim found = claimNamed(name);
            return found.getStatus() != null && phase.equals(found.getStatus().getPhase());
        });
    }

    private void awaitVolume(String name, String phase) {
        cluster.eventually(name + " " + phase, () -> {
            PersistentVolume found = volumeNamed(name);
            return found.getStatus() != null && phase.equals(found.getStatus().getPhase());
        });
    }

    private String annotation(String claim, String name) {
        Map<String, String> annotations = claimNamed(claim).getMetadata().getAnnotations();
        return annotations == null ? null : annotations.get(name);
    }

    private PersistentVolumeClaim claimNamed(String name) {
        return cluster.resources(PersistentVolumeClaim.class).get("default", name);
    }

    private PersistentVolume volumeNamed(String name) {
        return cluster.resources(PersistentVolume.class).get("", name);
    }

    private Pod podNamed(String name) {
        return cluster.resources(Pod.class).get("default", name);
    }
}
