package io.argosy.scheduler.volume;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What has been promised to pods whose volumes are not bound yet, so that nobody else gets the same volume, and two pods of one claim
 * go to one node. Belongs to the scheduling thread alone.
 */
public final class VolumeLedger {
    private final Map<String, String> claimOfVolume = new HashMap<>();
    private final Map<String, String> nodeOfClaim = new HashMap<>();

    public void promise(VolumePlan plan) {
        plan.bindings()
                .forEach(binding -> claimOfVolume.put(
                        binding.volume().getMetadata().getName(),
                        binding.claim().getMetadata().getUid()));
        plan.claims().forEach(claim -> nodeOfClaim.put(claim.getMetadata().getUid(), plan.node()));
    }

    public void release(VolumePlan plan) {
        plan.bindings()
                .forEach(binding -> claimOfVolume.remove(
                        binding.volume().getMetadata().getName(),
                        binding.claim().getMetadata().getUid()));
        plan.claims().forEach(claim -> nodeOfClaim.remove(claim.getMetadata().getUid(), plan.node()));
    }

    /** The volumes that other claims were promised. */
    Set<String> takenFor(PersistentVolumeClaim claim) {
        Set<String> taken = new HashSet<>();
        claimOfVolume.forEach((volume, owner) -> {
            if (!owner.equals(claim.getMetadata().getUid())) {
                taken.add(volume);
            }
        });
        return taken;
    }

    /** The node at which the claim's volume is, or will be, made; empty if that is still open. */
    String nodeOf(PersistentVolumeClaim claim) {
        String written = Claims.selectedNode(claim);
        return written.isEmpty() ? nodeOfClaim.getOrDefault(claim.getMetadata().getUid(), "") : written;
    }
}
