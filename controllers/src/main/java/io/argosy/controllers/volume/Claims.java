package io.argosy.controllers.volume;

import io.argosy.api.NamespacedName;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Objects;

/** Reading claims and volumes: small facts that several controllers ask for. */
public final class Claims {
    private Claims() {}

    public static NamespacedName nameOf(HasMetadata object) {
        return NamespacedName.of(
                object.getMetadata().getNamespace(), object.getMetadata().getName());
    }

    public static boolean isDeleting(HasMetadata object) {
        return object.getMetadata().getDeletionTimestamp() != null;
    }

    /** The annotation's value, or null. */
    public static String annotation(HasMetadata object, String name) {
        Map<String, String> annotations = object.getMetadata().getAnnotations();
        return annotations == null ? null : annotations.get(name);
    }

    public static boolean isAnnotated(HasMetadata object, String name) {
        return annotation(object, name) != null;
    }

    /** The class a claim asks for; null where it leaves that open, empty where it wants none. */
    public static String className(PersistentVolumeClaim claim) {
        String old = annotation(claim, StorageNames.CLASS_BETA);
        return old != null ? old : claim.getSpec().getStorageClassName();
    }

    public static String className(PersistentVolume volume) {
        String old = annotation(volume, StorageNames.CLASS_BETA);
        return old != null ? old : text(volume.getSpec().getStorageClassName());
    }

    public static String phase(PersistentVolumeClaim claim) {
        return claim.getStatus() == null ? "" : text(claim.getStatus().getPhase());
    }

    public static String phase(PersistentVolume volume) {
        return volume.getStatus() == null ? "" : text(volume.getStatus().getPhase());
    }

    /** True once the binder has joined the claim to a volume, whatever became of that since. */
    public static boolean wasBound(PersistentVolumeClaim claim) {
        return isAnnotated(claim, StorageNames.BIND_COMPLETED);
    }

    /** The volume is this claim's, by its name and, where it says one, by its uid. */
    public static boolean isBoundTo(PersistentVolume volume, PersistentVolumeClaim claim) {
        ObjectReference reference = volume.getSpec().getClaimRef();
        return reference != null
                && Objects.equals(reference.getName(), claim.getMetadata().getName())
                && Objects.equals(reference.getNamespace(), claim.getMetadata().getNamespace())
                && (text(reference.getUid()).isEmpty()
                        || reference.getUid().equals(claim.getMetadata().getUid()));
    }

    public static BigDecimal requested(PersistentVolumeClaim claim) {
        return claim.getSpec().getResources() == null
                ? BigDecimal.ZERO
                : storage(claim.getSpec().getResources().getRequests());
    }

    public static BigDecimal storage(Map<String, Quantity> amounts) {
        Quantity storage = amounts == null ? null : amounts.get("storage");
        return storage == null ? BigDecimal.ZERO : Quantity.getAmountInBytes(storage);
    }

    /** Null is the empty text, as it is in objects. */
    public static String text(String value) {
        return value == null ? "" : value;
    }
}
