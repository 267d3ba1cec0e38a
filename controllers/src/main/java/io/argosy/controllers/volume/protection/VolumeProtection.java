package io.argosy.controllers.volume.protection;

import io.argosy.api.NamespacedName;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.volume.Claims;
import io.argosy.controllers.volume.StorageNames;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import java.util.List;

/** Lets a deleted volume go only when no claim holds it any more. */
public final class VolumeProtection implements Reconciler {
    private final Resources<PersistentVolume> volumeResources;
    private final Informer<PersistentVolume> volumes;

    private VolumeProtection(Client client, Informers informers) {
        volumeResources = client.resources(PersistentVolume.class);
        volumes = informers.of(PersistentVolume.class);
    }

    public static Controller controller(Client client, Informers informers, Clock clock) {
        return Controller.named("persistentvolume-protection-controller", informers, clock)
                .watches(PersistentVolume.class)
                .reconciler(new VolumeProtection(client, informers));
    }

    @Override
    public Result reconcile(NamespacedName key) {
        PersistentVolume volume = volumes.get(key).orElse(null);
        if (volume == null) {
            return Result.done();
        }
        List<String> finalizers = volume.getMetadata().getFinalizers();
        boolean isProtected = finalizers != null && finalizers.contains(StorageNames.VOLUME_PROTECTION);
        if (!Claims.isDeleting(volume) && !isProtected) {
            volumeResources.update(new PersistentVolumeBuilder(volume)
                    .editMetadata()
                    .addToFinalizers(StorageNames.VOLUME_PROTECTION)
                    .endMetadata()
                    .build());
        } else if (Claims.isDeleting(volume)
                && isProtected
                && !Claims.phase(volume).equals("Bound")) {
            volumeResources.update(new PersistentVolumeBuilder(volume)
                    .editMetadata()
                    .removeFromFinalizers(StorageNames.VOLUME_PROTECTION)
                    .endMetadata()
                    .build());
        }
        return Result.done();
    }
}
