package io.argosy.controllers.volume.binder;

import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.controllers.meta.Timestamps;
import io.argosy.controllers.volume.Claims;
import io.argosy.controllers.volume.StorageNames;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimStatus;
import io.fabric8.kubernetes.api.model.PersistentVolumeStatusBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The hand that joins claims and volumes, in an order that can be taken up again after every step: volume, its phase, claim, its
 * phase.
 */
final class Joint {
    private static final String YES = "yes";

    private final Resources<PersistentVolume> volumes;
    private final Resources<PersistentVolumeClaim> claims;
    private final Clock clock;

    Joint(Client client, Clock clock) {
        volumes = client.resources(PersistentVolume.class);
        claims = client.resources(PersistentVolumeClaim.class);
        this.clock = clock;
    }

    void bind(PersistentVolume volume, PersistentVolumeClaim claim) {
        PersistentVolume taken = phase(give(volume, claim), "Bound", "", "");
        report(take(claim, taken), "Bound", taken);
    }

    private PersistentVolume give(PersistentVolume volume, PersistentVolumeClaim claim) {
        boolean mine = Claims.isBoundTo(volume, claim);
        if (mine
                && claim.getMetadata()
                        .getUid()
                        .equals(volume.getSpec().getClaimRef().getUid())) {
            return volume;
        }
        PersistentVolumeBuilder given = new PersistentVolumeBuilder(volume)
                .editSpec()
                .withClaimRef(new ObjectReferenceBuilder()
                        .withApiVersion("v1")
                        .withKind("PersistentVolumeClaim")
                        .withNamespace(claim.getMetadata().getNamespace())
                        .withName(claim.getMetadata().getName())
                        .withUid(claim.getMetadata().getUid())
                        .withResourceVersion(claim.getMetadata().getResourceVersion())
                        .build())
                .endSpec();
        if (!mine) {
            given.editMetadata()
                    .addToAnnotations(StorageNames.BOUND_BY_CONTROLLER, YES)
                    .endMetadata();
        }
        return volumes.update(given.build());
    }

    private PersistentVolumeClaim take(PersistentVolumeClaim claim, PersistentVolume volume) {
        String name = volume.getMetadata().getName();
        boolean chosen = name.equals(claim.getSpec().getVolumeName());
        if (chosen && Claims.wasBound(claim)) {
            return claim;
        }
        PersistentVolumeClaimBuilder taken = new PersistentVolumeClaimBuilder(claim)
                .editMetadata()
                .addToAnnotations(StorageNames.BIND_COMPLETED, YES)
                .endMetadata();
        if (!chosen) {
            taken.editMetadata()
                    .addToAnnotations(StorageNames.BOUND_BY_CONTROLLER, YES)
                    .endMetadata()
                    .editSpec()
                    .withVolumeName(name)
                    .endSpec();
        }
        return claims.update(taken.build());
    }

    /** Writes the claim's phase and what it has; a claim that was bound already keeps its size until the volume has grown. */
    void report(PersistentVolumeClaim claim, String phase, PersistentVolume volume) {
        PersistentVolumeClaimStatus status =
                claim.getStatus() == null ? new PersistentVolumeClaimStatus() : claim.getStatus();
        List<String> modes = volume == null ? List.of() : volume.getSpec().getAccessModes();
        Map<String, Quantity> capacity =
                status.getCapacity() == null ? new HashMap<>() : new HashMap<>(status.getCapacity());
        if (volume == null) {
            capacity.clear();
        } else if (!phase.equals(status.getPhase()) || !capacity.containsKey("storage")) {
            capacity.put("storage", volume.getSpec().getCapacity().get("storage"));
        }
        if (phase.equals(status.getPhase())
                && modes.equals(status.getAccessModes())
                && capacity.equals(status.getCapacity() == null ? Map.of() : status.getCapacity())) {
            return;
        }
        claims.updateStatus(new PersistentVolumeClaimBuilder(claim)
                .editOrNewStatus()
                .withPhase(phase)
                .withAccessModes(modes)
                .withCapacity(capacity)
                .endStatus()
                .build());
    }

    /** Writes the volume's phase, if it is not in it. */
    PersistentVolume phase(PersistentVolume volume, String phase, String reason, String message) {
        boolean same = Claims.phase(volume).equals(phase)
                && Claims.text(volume.getStatus().getMessage()).equals(message);
        if (same) {
            return volume;
        }
        return volumes.updateStatus(new PersistentVolumeBuilder(volume)
                .withStatus(new PersistentVolumeStatusBuilder()
                        .withPhase(phase)
                        .withReason(reason.isEmpty() ? null : reason)
                        .withMessage(message.isEmpty() ? null : message)
                        .withLastPhaseTransitionTime(Timestamps.format(clock.now()))
                        .build())
                .build());
    }

    /** Frees a volume that was meant for a claim; one that a person meant for it stays meant for the next of that name. */
    void unbind(PersistentVolume volume) {
        PersistentVolumeBuilder freed = new PersistentVolumeBuilder(volume);
        if (Claims.isAnnotated(volume, StorageNames.BOUND_BY_CONTROLLER)) {
            freed.editMetadata()
                    .removeFromAnnotations(StorageNames.BOUND_BY_CONTROLLER)
                    .endMetadata()
                    .editSpec()
                    .withClaimRef(null)
                    .endSpec();
        } else {
            freed.editSpec()
                    .editClaimRef()
                    .withUid(null)
                    .withResourceVersion(null)
                    .endClaimRef()
                    .endSpec();
        }
        phase(volumes.update(freed.build()), "Available", "", "");
    }

    /** Tells the provisioner that it is its turn; true if it was news. */
    boolean ask(PersistentVolumeClaim claim, String provisioner) {
        if (Objects.equals(Claims.annotation(claim, StorageNames.PROVISIONER), provisioner)) {
            return false;
        }
        claims.update(new PersistentVolumeClaimBuilder(claim)
                .editMetadata()
                .addToAnnotations(StorageNames.PROVISIONER, provisioner)
                .addToAnnotations(StorageNames.PROVISIONER_BETA, provisioner)
                .endMetadata()
                .build());
        return true;
    }

    void assignClass(PersistentVolumeClaim claim, String name) {
        claims.update(new PersistentVolumeClaimBuilder(claim)
                .editSpec()
                .withStorageClassName(name)
                .endSpec()
                .build());
    }
}
