package io.argosy.controllers.garbagecollector;

import io.argosy.controllers.catalog.ObjectMetas.Meta;
import io.argosy.controllers.catalog.ObjectMetas.Owner;
import io.argosy.controllers.catalog.ResourceCatalog.ApiResource;
import java.util.List;

/** An object as the collector knows it: no more than its lifetime depends on. */
record Node(
        ApiResource resource,
        String namespace,
        String name,
        String uid,
        List<Owner> owners,
        boolean deleting,
        boolean foreground,
        boolean orphaning) {
    static final String FOREGROUND = "foregroundDeletion";
    static final String ORPHAN = "orphan";

    static Node of(ApiResource resource, Meta meta) {
        boolean deleting = meta.deleting();
        return new Node(
                resource,
                meta.namespace(),
                meta.name(),
                meta.uid(),
                meta.owners(),
                deleting,
                deleting && meta.finalizers().contains(FOREGROUND),
                deleting && meta.finalizers().contains(ORPHAN));
    }

    /** The reference means this object, not one that merely shares its uid by mistake. */
    boolean isMeantBy(Owner owner, String dependentNamespace) {
        return owner.uid().equals(uid)
                && owner.name().equals(name)
                && owner.kind().equals(resource.kind())
                && (!resource.namespaced() || namespace.equals(dependentNamespace));
    }

    boolean blocks(String ownerUid) {
        return owners.stream().anyMatch(owner -> owner.uid().equals(ownerUid) && owner.blocksDeletion());
    }
}
