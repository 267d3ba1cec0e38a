package io.argosy.controllers.volume.binder;

import io.argosy.controllers.volume.Claims;
import io.argosy.controllers.volume.StorageClasses;
import io.argosy.controllers.volume.StorageNames;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** What a claim needs next: a volume that is there, one that must be made, patience, or the news that its data is lost. */
sealed interface ClaimPlan {
    record Bind(PersistentVolume volume) implements ClaimPlan {}

    /** A volume must be made by the class's provisioner. */
    record Provision(StorageClass by) implements ClaimPlan {}

    /** The claim named no class, and there is a default now. */
    record AssignClass(String name) implements ClaimPlan {}

    record Wait(Optional<Told> told) implements ClaimPlan {
        static Wait inSilence() {
            return new Wait(Optional.empty());
        }

        static Wait saying(Told told) {
            return new Wait(Optional.of(told));
        }
    }

    record Lost(Told told) implements ClaimPlan {}

    /** What the decision looks at beside the claim itself. */
    interface Surroundings {
        Optional<PersistentVolume> volume(String name);

        Collection<PersistentVolume> volumes();

        Optional<StorageClass> storageClass(String name);

        Optional<String> defaultClass();

        /** The names of pods that use the claim and have no node yet. */
        List<String> waitingPods(PersistentVolumeClaim claim);
    }

    static ClaimPlan of(PersistentVolumeClaim claim, Surroundings around) {
        if (Claims.wasBound(claim)) {
            return ofBound(claim, around);
        }
        String name = Claims.text(claim.getSpec().getVolumeName());
        return name.isEmpty() ? ofOpen(claim, around) : ofNaming(claim, name, around);
    }

    private static ClaimPlan ofBound(PersistentVolumeClaim claim, Surroundings around) {
        String name = Claims.text(claim.getSpec().getVolumeName());
        if (name.isEmpty()) {
            return new Lost(Told.warning(
                    "ClaimLost", "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!"));
        }
        Optional<PersistentVolume> volume = around.volume(name);
        if (volume.isEmpty()) {
            return new Lost(Told.warning(
                    "ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!"));
        }
        ObjectReference owner = volume.get().getSpec().getClaimRef();
        if (owner == null || claim.getMetadata().getUid().equals(owner.getUid())) {
            return new Bind(volume.get());
        }
        return new Lost(Told.warning(
                "ClaimMisbound", "Two claims are bound to the same volume, this one is bound incorrectly"));
    }

    /** The claim says which volume it wants. */
    private static ClaimPlan ofNaming(PersistentVolumeClaim claim, String name, Surroundings around) {
        Optional<PersistentVolume> found = around.volume(name);
        if (found.isEmpty()) {
            return Wait.inSilence();
        }
        PersistentVolume volume = found.get();
        if (volume.getSpec().getClaimRef() == null) {
            return VolumeMatch.objection(volume, claim)
                    .<ClaimPlan>map(objection -> Wait.saying(Told.warning(
                            "VolumeMismatch", "Cannot bind to requested volume \"" + name + "\": " + objection)))
                    .orElseGet(() -> new Bind(volume));
        }
        if (Claims.isBoundTo(volume, claim)) {
            return new Bind(volume);
        }
        return Wait.saying(
                Told.warning("FailedBinding", "volume \"" + name + "\" already bound to a different claim."));
    }

    private static ClaimPlan ofOpen(PersistentVolumeClaim claim, Surroundings around) {
        Optional<StorageClass> by = around.storageClass(Claims.className(claim));
        boolean patient = by.filter(StorageClasses::waitsForConsumer).isPresent()
                && !Claims.isAnnotated(claim, StorageNames.SELECTED_NODE);
        Optional<PersistentVolume> best = VolumeMatch.best(claim, around.volumes(), patient);
        if (best.isPresent()) {
            return new Bind(best.get());
        }
        if (Claims.className(claim) == null) {
            Optional<String> usual = around.defaultClass();
            if (usual.isPresent()) {
                return new AssignClass(usual.get());
            }
        }
        if (patient) {
            return Wait.saying(consumerMissing(around.waitingPods(claim)));
        }
        if (Claims.text(Claims.className(claim)).isEmpty()) {
            return Wait.saying(Told.normal(
                    "FailedBinding", "no persistent volumes available for this claim and no storage class is set"));
        }
        return by.map(found -> provision(found))
                .orElseGet(() -> Wait.saying(Told.warning(
                        "ProvisioningFailed",
                        "storageclass.storage.k8s.io \"" + Claims.className(claim) + "\" not found")));
    }

    private static Told consumerMissing(List<String> pods) {
        return switch (pods.size()) {
            case 0 -> Told.normal("WaitForFirstConsumer", "waiting for first consumer to be created before binding");
            case 1 -> Told.normal("WaitForPodScheduled", "waiting for pod " + pods.getFirst() + " to be scheduled");
            default ->
                Told.normal("WaitForPodScheduled", "waiting for pods " + String.join(",", pods) + " to be scheduled");
        };
    }

    /** Names below kubernetes.io are those of provisioners that Kubernetes once had inside; there are none here. */
    private static ClaimPlan provision(StorageClass by) {
        return by.getProvisioner().startsWith("kubernetes.io/")
                ? Wait.saying(
                        Told.warning("ProvisioningFailed", "no volume plugin matched name: " + by.getProvisioner()))
                : new Provision(by);
    }
}
