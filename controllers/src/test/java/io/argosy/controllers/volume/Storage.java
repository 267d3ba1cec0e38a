package io.argosy.controllers.volume;

import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.fabric8.kubernetes.api.model.storage.StorageClassBuilder;

/** Claims, volumes and classes as the server would have defaulted them. */
public final class Storage {
    private Storage() {}

    public static PersistentVolumeClaim claim(String name, String size, String className) {
        return new PersistentVolumeClaimBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName(name)
                .withUid("uid-" + name)
                .endMetadata()
                .withNewSpec()
                .withAccessModes("ReadWriteOnce")
                .withNewResources()
                .addToRequests("storage", new Quantity(size))
                .endResources()
                .withStorageClassName(className)
                .withVolumeMode("Filesystem")
                .endSpec()
                .build();
    }

    /** A volume that anybody may have. */
    public static PersistentVolume volume(String name, String size, String className) {
        return new PersistentVolumeBuilder()
                .withNewMetadata()
                .withName(name)
                .withUid("uid-" + name)
                .endMetadata()
                .withNewSpec()
                .withAccessModes("ReadWriteOnce")
                .addToCapacity("storage", new Quantity(size))
                .withStorageClassName(className)
                .withPersistentVolumeReclaimPolicy("Retain")
                .withVolumeMode("Filesystem")
                .withNewHostPath()
                .withPath("/data/" + name)
                .endHostPath()
                .endSpec()
                .withNewStatus()
                .withPhase("Available")
                .endStatus()
                .build();
    }

    public static PersistentVolume meantFor(PersistentVolume volume, String claim, String uid) {
        return new PersistentVolumeBuilder(volume)
                .editSpec()
                .withNewClaimRef()
                .withNamespace("default")
                .withName(claim)
                .withUid(uid)
                .endClaimRef()
                .endSpec()
                .build();
    }

    public static StorageClass storageClass(String name, String provisioner, String mode) {
        return new StorageClassBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withProvisioner(provisioner)
                .withReclaimPolicy("Delete")
                .withVolumeBindingMode(mode)
                .build();
    }
}
