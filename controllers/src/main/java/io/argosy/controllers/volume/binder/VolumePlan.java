package io.argosy.controllers.volume.binder;

import io.argosy.controllers.volume.Claims;
import io.argosy.controllers.volume.StorageNames;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import java.util.Optional;

/** What becomes of a volume: free, taken, given back, or not to be given back. */
sealed interface VolumePlan {
    /** The volume is in the phase, whatever it says now. */
    record Phase(String name) implements VolumePlan {}

    /** The volume was given back, but cannot be made ready for anybody else. */
    record Failed(Told told) implements VolumePlan {}

    /** The claim it was meant for took another volume. */
    record Unbind() implements VolumePlan {}

    /** The claim it is meant for has not taken it yet, or cannot. */
    record Wait(Optional<Told> aboutVolume, Optional<Told> aboutClaim) implements VolumePlan {}

    /**
     * Decides.
     *
     * @param claim the claim that the volume names by uid, if it is there
     */
    static VolumePlan of(PersistentVolume volume, Optional<PersistentVolumeClaim> claim) {
        ObjectReference owner = volume.getSpec().getClaimRef();
        if (owner == null || Claims.text(owner.getUid()).isEmpty()) {
            return new Phase("Available");
        }
        if (claim.isEmpty()) {
            return reclaim(volume);
        }
        String chosen = Claims.text(claim.get().getSpec().getVolumeName());
        if (chosen.equals(volume.getMetadata().getName())) {
            return new Phase("Bound");
        }
        if (chosen.isEmpty()) {
            return VolumeMatch.mode(volume).equals(VolumeMatch.mode(claim.get()))
                    ? new Wait(Optional.empty(), Optional.empty())
                    : mismatch(volume, claim.get());
        }
        boolean madeForIt = Claims.isAnnotated(volume, StorageNames.PROVISIONED_BY)
                && "Delete".equals(volume.getSpec().getPersistentVolumeReclaimPolicy());
        return madeForIt ? new Phase("Released") : new Unbind();
    }

    private static VolumePlan mismatch(PersistentVolume volume, PersistentVolumeClaim claim) {
        String wanted = "\"" + claim.getMetadata().getName() + "\" due to incompatible volumeMode.";
        return new Wait(
                Optional.of(Told.warning(
                        "VolumeMismatch", "Cannot bind PersistentVolume to requested PersistentVolumeClaim " + wanted)),
                Optional.of(Told.warning(
                        "VolumeMismatch",
                        "Cannot bind PersistentVolume \"" + volume.getMetadata().getName()
                                + "\" to requested PersistentVolumeClaim " + wanted)));
    }

    private static VolumePlan reclaim(PersistentVolume volume) {
        return switch (Claims.text(volume.getSpec().getPersistentVolumeReclaimPolicy())) {
            case "Retain", "" -> new Phase("Released");
            case "Delete" ->
                Claims.isAnnotated(volume, StorageNames.PROVISIONED_BY)
                        ? new Phase("Released")
                        : new Failed(Told.warning(
                                "VolumeFailedDelete",
                                "error getting deleter volume plugin for volume \""
                                        + volume.getMetadata().getName()
                                        + "\": no deletable volume plugin matched"));
            case "Recycle" ->
                new Failed(Told.warning("VolumeFailedRecycle", "No recycler plugin found for the volume!"));
            default ->
                new Failed(Told.warning(
                        "VolumeUnknownReclaimPolicy", "Volume has unrecognized PersistentVolumeReclaimPolicy"));
        };
    }
}
