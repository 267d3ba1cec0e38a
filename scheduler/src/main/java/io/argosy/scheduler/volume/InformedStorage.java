package io.argosy.scheduler.volume;

import io.argosy.api.NamespacedName;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import java.util.List;
import java.util.Optional;

/** The storage as informers show it. */
public final class InformedStorage implements Storage {
    private final Informer<PersistentVolumeClaim> claims;
    private final Informer<PersistentVolume> volumes;
    private final Informer<StorageClass> classes;

    public InformedStorage(Informers informers) {
        claims = informers.of(PersistentVolumeClaim.class);
        volumes = informers.of(PersistentVolume.class);
        classes = informers.of(StorageClass.class);
    }

    @Override
    public Optional<PersistentVolumeClaim> claim(String namespace, String name) {
        return claims.get(NamespacedName.of(namespace, name));
    }

    @Override
    public Optional<PersistentVolume> volume(String name) {
        return volumes.get(NamespacedName.of("", name));
    }

    @Override
    public List<PersistentVolume> volumes() {
        return volumes.list();
    }

    @Override
    public Optional<StorageClass> storageClass(String name) {
        return name.isEmpty() ? Optional.empty() : classes.get(NamespacedName.of("", name));
    }
}
