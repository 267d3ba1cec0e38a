package io.argosy.scheduler.volume;

import io.argosy.api.NamespacedName;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.storage.CSIDriver;
import io.fabric8.kubernetes.api.model.storage.CSINode;
import io.fabric8.kubernetes.api.model.storage.CSIStorageCapacity;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.fabric8.kubernetes.api.model.storage.VolumeAttachment;
import java.util.List;
import java.util.Optional;

/** The storage as informers show it. */
public final class InformedStorage implements Storage {
    private static final String BY_NODE = "scheduler node";

    private final Informer<PersistentVolumeClaim> claims;
    private final Informer<PersistentVolume> volumes;
    private final Informer<StorageClass> classes;
    private final Informer<CSINode> csiNodes;
    private final Informer<CSIDriver> drivers;
    private final Informer<CSIStorageCapacity> capacities;
    private final Informer<VolumeAttachment> attachments;

    public InformedStorage(Informers informers) {
        claims = informers.of(PersistentVolumeClaim.class);
        volumes = informers.of(PersistentVolume.class);
        classes = informers.of(StorageClass.class);
        csiNodes = informers.of(CSINode.class);
        drivers = informers.of(CSIDriver.class);
        capacities = informers.of(CSIStorageCapacity.class);
        attachments = informers.of(VolumeAttachment.class);
        attachments.addIndex(BY_NODE, attachment -> List.of(attachment.getSpec().getNodeName()));
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

    @Override
    public Optional<CSINode> csiNode(String node) {
        return csiNodes.get(NamespacedName.of("", node));
    }

    @Override
    public Optional<CSIDriver> driver(String name) {
        return drivers.get(NamespacedName.of("", name));
    }

    @Override
    public List<CSIStorageCapacity> capacities() {
        return capacities.list();
    }

    @Override
    public List<VolumeAttachment> attachments(String node) {
        return attachments.byIndex(BY_NODE, node);
    }
}
