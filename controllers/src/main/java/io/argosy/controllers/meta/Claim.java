package io.argosy.controllers.meta;

import io.argosy.client.Owners;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Which children a controller keeps, takes in and lets go: its own that match the selector, orphans that match, and its own that
 * no longer match. Another controller's children are never touched.
 */
public record Claim<T extends HasMetadata>(List<T> kept, List<T> adopted, List<T> released) {

    public static <T extends HasMetadata> Claim<T> of(
            HasMetadata controller, List<T> candidates, Predicate<T> matches) {
        String uid = controller.getMetadata().getUid();
        boolean dying = controller.getMetadata().getDeletionTimestamp() != null;
        List<T> kept = new ArrayList<>();
        List<T> adopted = new ArrayList<>();
        List<T> released = new ArrayList<>();
        for (T child : candidates) {
            Optional<OwnerReference> owner = Owners.controllerOf(child);
            if (owner.isEmpty()) {
                if (!dying && child.getMetadata().getDeletionTimestamp() == null && matches.test(child)) {
                    adopted.add(child);
                }
            } else if (owner.get().getUid().equals(uid)) {
                if (matches.test(child)) {
                    kept.add(child);
                } else if (!dying) {
                    released.add(child);
                }
            }
        }
        return new Claim<>(kept, adopted, released);
    }
}
