package io.argosy.controllers.volume.binder;

import static io.argosy.controllers.volume.Storage.claim;
import static io.argosy.controllers.volume.Storage.meantFor;
import static io.argosy.controllers.volume.Storage.storageClass;
import static io.argosy.controllers.volume.Storage.volume;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.controllers.volume.StorageNames;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a claim needs next, case by case. */
class ClaimPlanTest {
    private final List<PersistentVolume> volumes = new ArrayList<>();
    private final List<StorageClass> classes = new ArrayList<>(List.of(
            storageClass("quick", "example.com/disks", "Immediate"),
            storageClass("patient", "example.com/disks", "WaitForFirstConsumer"),
            storageClass("none", "kubernetes.io/no-provisioner", "Immediate")));
    private final List<String> waiting = new ArrayList<>();
    private String usual;
    private final ClaimPlan.Surroundings around = new Around();

    @Test
    void theSmallestThatFitsIsTaken() {
        volumes.addAll(List.of(volume("small", "1Gi", ""), volume("large", "9Gi", ""), volume("medium", "5Gi", "")));
        assertThat(boundTo(claim("c", "2Gi", ""))).isEqualTo("medium");
        assertThat(boundTo(claim("c", "5Gi", ""))).isEqualTo("medium");
        assertThat(boundTo(claim("c", "6Gi", ""))).isEqualTo("large");
        assertThat(said(claim("c", "10Gi", "")))
                .isEqualTo(
                        "Normal FailedBinding: no persistent volumes available for this claim and no storage class is"
                                + " set");
    }

    @Test
    void oneWithNoMoreModesThanAskedForIsPreferred() {
        volumes.add(new PersistentVolumeBuilder(volume("many", "1Gi", ""))
                .editSpec()
                .withAccessModes("ReadWriteOnce", "ReadWriteMany")
                .endSpec()
                .build());
        volumes.add(volume("once", "5Gi", ""));
        assertThat(boundTo(claim("c", "1Gi", ""))).isEqualTo("once");
        PersistentVolumeClaim shared = new PersistentVolumeClaimBuilder(claim("c", "1Gi", ""))
                .editSpec()
                .withAccessModes("ReadWriteMany")
                .endSpec()
                .build();
        assertThat(boundTo(shared)).isEqualTo("many");
    }

    @Test
    void classModeSelectorAndPhaseMustFit() {
        volumes.add(volume("classy", "1Gi", "gold"));
        volumes.add(new PersistentVolumeBuilder(volume("block", "1Gi", ""))
                .editSpec()
                .withVolumeMode("Block")
                .endSpec()
                .build());
        volumes.add(new PersistentVolumeBuilder(volume("released", "1Gi", ""))
                .editStatus()
                .withPhase("Released")
                .endStatus()
                .build());
        volumes.add(meantFor(volume("others", "1Gi", ""), "other", ""));
        volumes.add(new PersistentVolumeBuilder(volume("labelled", "1Gi", ""))
                .editMetadata()
                .addToLabels("disk", "ssd")
                .endMetadata()
                .build());
        assertThat(boundTo(claim("c", "1Gi", "gold"))).isEqualTo("classy");
        assertThat(boundTo(claim("c", "1Gi", ""))).isEqualTo("labelled");
        assertThat(boundTo(selecting("ssd"))).isEqualTo("labelled");
        assertThat(said(selecting("tape"))).contains("no persistent volumes available");
    }

    private static PersistentVolumeClaim selecting(String disk) {
        return new PersistentVolumeClaimBuilder(claim("c", "1Gi", ""))
                .editSpec()
                .withNewSelector()
                .withMatchLabels(Map.of("disk", disk))
                .endSelector()
                .endSpec()
                .build();
    }

    @Test
    void aVolumeThatNamesTheClaimComesFirst() {
        volumes.add(volume("small", "1Gi", ""));
        volumes.add(meantFor(volume("mine", "9Gi", "other-class"), "c", ""));
        assertThat(boundTo(claim("c", "1Gi", ""))).isEqualTo("mine");
        assertThat(boundTo(claim("c", "1Gi", "patient"))).isEqualTo("mine");
    }

    @Test
    void aVolumeThatNamesTheClaimMustStillSuitIt() {
        PersistentVolumeClaim shared = new PersistentVolumeClaimBuilder(claim("c", "1Gi", ""))
                .editSpec()
                .withAccessModes("ReadWriteMany")
                .endSpec()
                .build();
        PersistentVolumeClaim fast = new PersistentVolumeClaimBuilder(claim("c", "1Gi", ""))
                .editSpec()
                .withVolumeAttributesClassName("fast")
                .endSpec()
                .build();
        volumes.add(meantFor(volume("mine", "1Gi", ""), "c", ""));
        assertThat(said(shared)).contains("no persistent volumes available");
        assertThat(said(fast)).contains("no persistent volumes available");
        volumes.getFirst().getSpec().setVolumeAttributesClassName("fast");
        assertThat(boundTo(fast)).isEqualTo("mine");
    }

    @Test
    void aVolumeThatNamesANamesakeOfOldDoesNot() {
        volumes.add(meantFor(volume("old", "1Gi", ""), "c", "another-uid"));
        assertThat(said(claim("c", "1Gi", ""))).contains("no persistent volumes available");
    }

    @Test
    void aClaimThatNamesAVolumeGetsThatOrNone() {
        volumes.add(volume("small", "1Gi", ""));
        volumes.add(volume("classy", "9Gi", "gold"));
        volumes.add(meantFor(volume("taken", "9Gi", ""), "other", "uid-other"));
        assertThat(boundTo(naming("small", "1Gi"))).isEqualTo("small");
        assertThat(said(naming("small", "2Gi")))
                .isEqualTo(
                        "Warning VolumeMismatch: Cannot bind to requested volume \"small\": requested PV is too small");
        assertThat(said(naming("classy", "1Gi"))).endsWith("\"classy\": storageClassName does not match");
        assertThat(said(naming("taken", "1Gi")))
                .isEqualTo("Warning FailedBinding: volume \"taken\" already bound to a different claim.");
        assertThat(said(naming("missing", "1Gi"))).isEmpty();
    }

    private static PersistentVolumeClaim naming(String volume, String size) {
        return new PersistentVolumeClaimBuilder(claim("c", size, ""))
                .editSpec()
                .withVolumeName(volume)
                .endSpec()
                .build();
    }

    @Test
    void aClassMakesAVolumeWhereNoneFits() {
        volumes.add(volume("ready", "1Gi", "quick"));
        assertThat(boundTo(claim("c", "1Gi", "quick"))).isEqualTo("ready");
        assertThat(ClaimPlan.of(claim("c", "2Gi", "quick"), around)).isInstanceOf(ClaimPlan.Provision.class);
        assertThat(said(claim("c", "2Gi", "none")))
                .isEqualTo("Warning ProvisioningFailed: no volume plugin matched name: kubernetes.io/no-provisioner");
        assertThat(said(claim("c", "2Gi", "unheard-of")))
                .isEqualTo("Warning ProvisioningFailed: storageclass.storage.k8s.io \"unheard-of\" not found");
    }

    @Test
    void aPatientClassWaitsForTheFirstPodAndItsNode() {
        volumes.add(volume("ready", "1Gi", "patient"));
        PersistentVolumeClaim claim = claim("c", "1Gi", "patient");
        assertThat(said(claim))
                .isEqualTo("Normal WaitForFirstConsumer: waiting for first consumer to be created before binding");
        waiting.add("web-0");
        assertThat(said(claim)).isEqualTo("Normal WaitForPodScheduled: waiting for pod web-0 to be scheduled");
        waiting.add("web-1");
        assertThat(said(claim)).isEqualTo("Normal WaitForPodScheduled: waiting for pods web-0,web-1 to be scheduled");
        PersistentVolumeClaim placed = new PersistentVolumeClaimBuilder(claim("c", "5Gi", "patient"))
                .editMetadata()
                .addToAnnotations(StorageNames.SELECTED_NODE, "n1")
                .endMetadata()
                .build();
        assertThat(ClaimPlan.of(placed, around)).isInstanceOf(ClaimPlan.Provision.class);
    }

    @Test
    void aClaimWithoutAClassGetsTheDefaultOnceThereIsOne() {
        PersistentVolumeClaim open = claim("c", "1Gi", null);
        assertThat(said(open)).contains("no storage class is set");
        usual = "quick";
        assertThat(ClaimPlan.of(open, around)).isEqualTo(new ClaimPlan.AssignClass("quick"));
        assertThat(said(claim("c", "1Gi", ""))).as("an empty class is a class").contains("no storage class is set");
        volumes.add(volume("plain", "1Gi", ""));
        assertThat(boundTo(open)).isEqualTo("plain");
    }

    @Test
    void whatWasBoundOnceIsLostWithItsVolume() {
        assertThat(lost(onceBound("")))
                .isEqualTo(
                        "ClaimLost: Bound claim has lost reference to PersistentVolume. Data on the volume is lost!");
        assertThat(lost(onceBound("gone")))
                .isEqualTo("ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!");
        volumes.add(meantFor(volume("taken", "1Gi", ""), "other", "uid-other"));
        assertThat(lost(onceBound("taken")))
                .isEqualTo("ClaimMisbound: Two claims are bound to the same volume, this one is bound incorrectly");
        volumes.add(meantFor(volume("mine", "1Gi", ""), "c", "uid-c"));
        assertThat(boundTo(onceBound("mine"))).isEqualTo("mine");
    }

    private static PersistentVolumeClaim onceBound(String volume) {
        return new PersistentVolumeClaimBuilder(naming(volume, "1Gi"))
                .editMetadata()
                .addToAnnotations(StorageNames.BIND_COMPLETED, "yes")
                .endMetadata()
                .build();
    }

    // ---- what happened ----

    private String boundTo(PersistentVolumeClaim claim) {
        return ClaimPlan.of(claim, around) instanceof ClaimPlan.Bind bind
                ? bind.volume().getMetadata().getName()
                : ClaimPlan.of(claim, around).toString();
    }

    private String said(PersistentVolumeClaim claim) {
        ClaimPlan plan = ClaimPlan.of(claim, around);
        assertThat(plan).isInstanceOf(ClaimPlan.Wait.class);
        return ((ClaimPlan.Wait) plan)
                .told()
                .map(told -> told.type() + " " + told.reason() + ": " + told.message())
                .orElse("");
    }

    private String lost(PersistentVolumeClaim claim) {
        ClaimPlan plan = ClaimPlan.of(claim, around);
        assertThat(plan).isInstanceOf(ClaimPlan.Lost.class);
        Told told = ((ClaimPlan.Lost) plan).told();
        return told.reason() + ": " + told.message();
    }

    private final class Around implements ClaimPlan.Surroundings {
        @Override
        public Optional<PersistentVolume> volume(String name) {
            return volumes.stream()
                    .filter(volume -> volume.getMetadata().getName().equals(name))
                    .findFirst();
        }

        @Override
        public Collection<PersistentVolume> volumes() {
            return volumes;
        }

        @Override
        public Optional<StorageClass> storageClass(String name) {
            return classes.stream()
                    .filter(found -> found.getMetadata().getName().equals(name))
                    .findFirst();
        }

        @Override
        public Optional<String> defaultClass() {
            return Optional.ofNullable(usual);
        }

        @Override
        public List<String> waitingPods(PersistentVolumeClaim claim) {
            return waiting;
        }
    }
}
