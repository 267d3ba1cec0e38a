package io.argosy.controllers.volume.expand;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.NamespacedName;
import io.argosy.api.json.Json;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.Resources.PatchType;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.volume.Claims;
import io.argosy.controllers.volume.StorageNames;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Lets volumes grow when their claims ask for more: folders on local disks as soon as their node has seen to it, others are left to
 * whoever made them.
 */
public final class VolumeExpansion implements Reconciler {
    private final Resources<PersistentVolume> volumeResources;
    private final Resources<PersistentVolumeClaim> claimResources;
    private final Informer<PersistentVolumeClaim> claims;
    private final Informer<PersistentVolume> volumes;
    private final EventRecorder events;
    /** What size each claim was last told to wait for. */
    private final Map<NamespacedName, String> told = new ConcurrentHashMap<>();

    private VolumeExpansion(Client client, Informers informers, EventRecorder events) {
        volumeResources = client.resources(PersistentVolume.class);
        claimResources = client.resources(PersistentVolumeClaim.class);
        claims = informers.of(PersistentVolumeClaim.class);
        volumes = informers.of(PersistentVolume.class);
        this.events = events;
    }

    public static Controller controller(Client client, Informers informers, Clock clock, EventRecorder events) {
        return Controller.named("persistentvolume-expander-controller", informers, clock)
                .watches(PersistentVolumeClaim.class)
                .maps(PersistentVolume.class, VolumeExpansion::claimOf)
                .reconciler(new VolumeExpansion(client, informers, events));
    }

    private static List<NamespacedName> claimOf(PersistentVolume volume) {
        var claim = volume.getSpec().getClaimRef();
        return claim == null ? List.of() : List.of(NamespacedName.of(claim.getNamespace(), claim.getName()));
    }

    @Override
    public Result reconcile(NamespacedName key) {
        PersistentVolumeClaim claim = claims.get(key).orElse(null);
        if (claim == null || !wantsMore(claim)) {
            told.remove(key);
            return Result.done();
        }
        PersistentVolume volume = volumes.get(
                        NamespacedName.cluster(claim.getSpec().getVolumeName()))
                .orElse(null);
        if (volume == null) {
            return Result.done();
        }
        String wanted = Claims.requested(claim).toPlainString();
        if (StorageNames.LOCAL_PROVISIONER.equals(Claims.annotation(volume, StorageNames.PROVISIONED_BY))) {
            grow(claim, volume);
        } else if (!wanted.equals(told.put(key, wanted))) {
            events.event(
                    claim,
                    EventRecorder.Type.Normal,
                    "ExternalExpanding",
                    "Ignoring the PVC: didn't find a plugin capable of expanding the volume; waiting for an external"
                            + " controller to process this PVC.");
        }
        return Result.done();
    }

    static boolean wantsMore(PersistentVolumeClaim claim) {
        return Claims.phase(claim).equals("Bound")
                && Claims.requested(claim)
                                .compareTo(Claims.storage(claim.getStatus().getCapacity()))
                        > 0;
    }

    /** First the volume, then the folder, and when that is told the claim, so that a claim never has more than its volume. */
    private void grow(PersistentVolumeClaim claim, PersistentVolume volume) {
        Quantity wanted = claim.getSpec().getResources().getRequests().get("storage");
        if (Claims.storage(volume.getSpec().getCapacity()).compareTo(Claims.requested(claim)) < 0) {
            volumeResources.update(new PersistentVolumeBuilder(volume)
                    .editSpec()
                    .addToCapacity("storage", wanted)
                    .endSpec()
                    .build());
        }
        if (sizeOf(volume).compareTo(Claims.requested(claim)) < 0) {
            return;
        }
        ObjectNode patch = Json.object();
        patch.putObject("metadata").put("uid", claim.getMetadata().getUid());
        patch.putObject("status").putObject("capacity").put("storage", wanted.toString());
        claimResources.patchStatus(
                claim.getMetadata().getNamespace(), claim.getMetadata().getName(), PatchType.MERGE, patch);
        events.event(claim, EventRecorder.Type.Normal, "VolumeResizeSuccessful", "Resize volume succeeded");
    }

    private static BigDecimal sizeOf(PersistentVolume volume) {
        String bytes = Claims.text(Claims.annotation(volume, StorageNames.LOCAL_SIZE));
        return bytes.matches("\\d{1,18}") ? new BigDecimal(bytes) : BigDecimal.ZERO;
    }
}
