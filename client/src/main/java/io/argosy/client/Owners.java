package io.argosy.client;

import io.argosy.api.GroupVersion;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import java.util.List;
import java.util.Optional;

/** Who owns an object: reading and making owner references. */
public final class Owners {
    private Owners() {}

    /** The one owner that controls the object. */
    public static Optional<OwnerReference> controllerOf(HasMetadata object) {
        List<OwnerReference> owners = object.getMetadata().getOwnerReferences();
        if (owners == null) {
            return Optional.empty();
        }
        for (OwnerReference owner : owners) {
            if (Boolean.TRUE.equals(owner.getController())) {
                return Optional.of(owner);
            }
        }
        return Optional.empty();
    }

    /** Whether that very owner controls the object, not another one of the same name. */
    public static boolean isControlledBy(HasMetadata object, HasMetadata owner) {
        return controllerOf(object)
                .filter(reference ->
                        reference.getUid().equals(owner.getMetadata().getUid()))
                .isPresent();
    }

    /** A reference that makes the owner the object's controller and holds its deletion until the object is gone. */
    public static OwnerReference controlledBy(HasMetadata owner) {
        return new OwnerReferenceBuilder()
                .withApiVersion(HasMetadata.getApiVersion(owner.getClass()))
                .withKind(HasMetadata.getKind(owner.getClass()))
                .withName(owner.getMetadata().getName())
                .withUid(owner.getMetadata().getUid())
                .withController(true)
                .withBlockOwnerDeletion(true)
                .build();
    }

    /** The API group of the owner, whatever version the reference names. */
    public static String groupOf(OwnerReference owner) {
        return GroupVersion.parse(owner.getApiVersion()).group();
    }
}
