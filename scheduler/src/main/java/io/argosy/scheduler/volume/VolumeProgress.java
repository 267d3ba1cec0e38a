package io.argosy.scheduler.volume;

import io.argosy.client.model.Models;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import java.util.Optional;

/** How far a written plan has come: done, still under way, or failed and why. */
public sealed interface VolumeProgress {
    record Done() implements VolumeProgress {}

    record UnderWay() implements VolumeProgress {}

    record Failed(String why) implements VolumeProgress {}

    static VolumeProgress of(VolumePlan written, Storage storage) {
        for (VolumePlan.Binding binding : written.bindings()) {
            String name = binding.volume().getMetadata().getName();
            Optional<PersistentVolume> volume = storage.volume(name);
            if (volume.isEmpty()) {
                return new Failed("failed to check binding: persistentvolume \"" + name + "\" not found");
            }
            if (isOlder(volume.get(), binding.volume())) {
                return new UnderWay();
            }
            if (volume.get().getSpec().getClaimRef() == null
                    || Claims.text(volume.get().getSpec().getClaimRef().getUid())
                            .isEmpty()) {
                return new Failed("ClaimRef got reset for pv \"" + name + "\"");
            }
        }
        for (PersistentVolumeClaim claim : written.provisions()) {
            String name = claim.getMetadata().getName();
            Optional<PersistentVolumeClaim> newest =
                    storage.claim(claim.getMetadata().getNamespace(), name);
            if (newest.isEmpty()) {
                return new Failed("failed to check provisioning pvc: persistentvolumeclaim \"" + name + "\" not found");
            }
            if (isOlder(newest.get(), claim)) {
                return new UnderWay();
            }
            if (!Claims.selectedNode(newest.get()).equals(written.node())) {
                return new Failed("provisioning failed for PVC \"" + name + "\"");
            }
        }
        for (PersistentVolumeClaim claim : written.claims()) {
            Optional<PersistentVolumeClaim> newest = storage.claim(
                    claim.getMetadata().getNamespace(), claim.getMetadata().getName());
            if (newest.isEmpty()) {
                return new Failed("failed to check binding: persistentvolumeclaim \""
                        + claim.getMetadata().getName() + "\" not found");
            }
            if (!Claims.isBound(newest.get())) {
                return new UnderWay();
            }
        }
        return new Done();
    }

    private static boolean isOlder(HasMetadata seen, HasMetadata written) {
        return Models.revision(seen.getMetadata().getResourceVersion())
                < Models.revision(written.getMetadata().getResourceVersion());
    }
}
