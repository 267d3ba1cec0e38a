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
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimStatus;
import io.fabric8.kubernetes.api.model.storage.VolumeAttributesClass;
import io.fabric8.kubernetes.api.model.storage.VolumeAttributesClassBuilder;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Lets a deleted VolumeAttributesClass go only when no volume has it, and no claim has, wants or is on its way to it. */
public final class AttributesClassProtection implements Reconciler {
    private static final String BY_CLASS = "volumeAttributesClass";

    private final Resources<VolumeAttributesClass> resources;
    private final Informer<VolumeAttributesClass> classes;
    private final Informer<PersistentVolume> volumes;
    private final Informer<PersistentVolumeClaim> claims;

    private AttributesClassProtection(Client client, Informers informers) {
        resources = client.resources(VolumeAttributesClass.class);
        classes = informers.of(VolumeAttributesClass.class);
        volumes = informers.of(PersistentVolume.class);
        claims = informers.of(PersistentVolumeClaim.class);
        volumes.addIndex(BY_CLASS, AttributesClassProtection::classesOf);
        claims.addIndex(BY_CLASS, AttributesClassProtection::classesOf);
    }

    public static Controller controller(Client client, Informers informers, Clock clock) {
        return Controller.named("volumeattributesclass-protection-controller", informers, clock)
                .watches(VolumeAttributesClass.class)
                .maps(PersistentVolume.class, volume -> names(classesOf(volume)))
                .maps(PersistentVolumeClaim.class, claim -> names(classesOf(claim)))
                .reconciler(new AttributesClassProtection(client, informers));
    }

    private static List<NamespacedName> names(List<String> classes) {
        return classes.stream().map(NamespacedName::cluster).toList();
    }

    private static List<String> classesOf(PersistentVolume volume) {
        String name = Claims.text(volume.getSpec().getVolumeAttributesClassName());
        return name.isEmpty() ? List.of() : List.of(name);
    }

    private static List<String> classesOf(PersistentVolumeClaim claim) {
        Set<String> names = new TreeSet<>();
        names.add(Claims.text(claim.getSpec().getVolumeAttributesClassName()));
        PersistentVolumeClaimStatus status = claim.getStatus();
        if (status != null) {
            names.add(Claims.text(status.getCurrentVolumeAttributesClassName()));
            if (status.getModifyVolumeStatus() != null) {
                names.add(Claims.text(status.getModifyVolumeStatus().getTargetVolumeAttributesClassName()));
            }
        }
        names.remove("");
        return List.copyOf(names);
    }

    @Override
    public Result reconcile(NamespacedName key) {
        VolumeAttributesClass found = classes.get(key).orElse(null);
        if (found == null) {
            return Result.done();
        }
        List<String> finalizers = found.getMetadata().getFinalizers();
        boolean isProtected = finalizers != null && finalizers.contains(StorageNames.CLASS_PROTECTION);
        if (!Claims.isDeleting(found) && !isProtected) {
            resources.update(new VolumeAttributesClassBuilder(found)
                    .editMetadata()
                    .addToFinalizers(StorageNames.CLASS_PROTECTION)
                    .endMetadata()
                    .build());
        } else if (Claims.isDeleting(found) && isProtected && isUnused(key.name())) {
            resources.update(new VolumeAttributesClassBuilder(found)
                    .editMetadata()
                    .removeFromFinalizers(StorageNames.CLASS_PROTECTION)
                    .endMetadata()
                    .build());
        }
        return Result.done();
    }

    private boolean isUnused(String name) {
        return volumes.byIndex(BY_CLASS, name).isEmpty()
                && claims.byIndex(BY_CLASS, name).isEmpty();
    }
}
