package io.argosy.scheduler.volume;

import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.storage.CSIDriver;
import io.fabric8.kubernetes.api.model.storage.CSINode;
import io.fabric8.kubernetes.api.model.storage.CSIStorageCapacity;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.fabric8.kubernetes.api.model.storage.VolumeAttachment;
import java.util.List;
import java.util.Optional;

/** The claims, volumes and storage classes there are, and what CSI drivers say of nodes. */
public interface Storage {
    Optional<PersistentVolumeClaim> claim(String namespace, String name);

    Optional<PersistentVolume> volume(String name);

    List<PersistentVolume> volumes();

    Optional<StorageClass> storageClass(String name);

    /** Which drivers a node has, and how many volumes of each it can take. */
    Optional<CSINode> csiNode(String node);

    Optional<CSIDriver> driver(String name);

    /** How much room is left for new volumes, and from where it can be reached. */
    List<CSIStorageCapacity> capacities();

    /** Volumes that are attached to a node, or shall be. */
    List<VolumeAttachment> attachments(String node);
}
