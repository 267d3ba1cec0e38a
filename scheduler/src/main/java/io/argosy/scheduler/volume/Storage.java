package io.argosy.scheduler.volume;

import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import java.util.List;
import java.util.Optional;

/** The claims, volumes and storage classes there are. */
public interface Storage {
    Optional<PersistentVolumeClaim> claim(String namespace, String name);

    Optional<PersistentVolume> volume(String name);

    List<PersistentVolume> volumes();

    Optional<StorageClass> storageClass(String name);
}
