package io.argosy.scheduler.volume;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import java.util.Map;

/** What a claim says, read as everybody who binds volumes reads it. */
final class Claims {
    static final String SELECTED_NODE = "volume.kubernetes.io/selected-node";
    static final String BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";
    private static final String BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
    private static final String OLD_CLASS = "volume.beta.kubernetes.io/storage-class";

    private Claims() {}

    /** Bound for good: the volume knows of it as well. */
    static boolean isBound(PersistentVolumeClaim claim) {
        return !volumeOf(claim).isEmpty()
                && (annotation(claim, BIND_COMPLETED) != null
                        || claim.getStatus() != null
                                && "Bound".equals(claim.getStatus().getPhase()));
    }

    static String volumeOf(PersistentVolumeClaim claim) {
        return text(claim.getSpec().getVolumeName());
    }

    static String classOf(PersistentVolumeClaim claim) {
        String old = annotation(claim, OLD_CLASS);
        return old == null ? text(claim.getSpec().getStorageClassName()) : old;
    }

    static String classOf(PersistentVolume volume) {
        String old = annotation(volume, OLD_CLASS);
        return old == null ? text(volume.getSpec().getStorageClassName()) : old;
    }

    static String selectedNode(PersistentVolumeClaim claim) {
        return text(annotation(claim, SELECTED_NODE));
    }

    /** The claim's volume is chosen, or made, only when its first pod has a node. */
    static boolean waitsForPod(StorageClass storageClass) {
        return "WaitForFirstConsumer".equals(storageClass.getVolumeBindingMode());
    }

    /** True if the volume is spoken for by this claim, by its name at least. */
    static boolean isFor(PersistentVolume volume, PersistentVolumeClaim claim) {
        ObjectReference reference = volume.getSpec().getClaimRef();
        return reference != null
                && claim.getMetadata().getName().equals(reference.getName())
                && claim.getMetadata().getNamespace().equals(reference.getNamespace())
                && (text(reference.getUid()).isEmpty()
                        || reference.getUid().equals(claim.getMetadata().getUid()));
    }

    static java.math.BigDecimal requested(PersistentVolumeClaim claim) {
        var resources = claim.getSpec().getResources();
        return size(resources == null ? null : resources.getRequests());
    }

    static java.math.BigDecimal size(Map<String, Quantity> amounts) {
        Quantity storage = amounts == null ? null : amounts.get("storage");
        return storage == null ? java.math.BigDecimal.ZERO : storage.getNumericalAmount();
    }

    static String annotation(HasMetadata object, String name) {
        Map<String, String> annotations = object.getMetadata().getAnnotations();
        return annotations == null ? null : annotations.get(name);
    }

    static String text(String value) {
        return value == null ? "" : value;
    }
}
