package io.argosy.controllers.meta;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.client.Client;
import io.argosy.client.Owners;
import io.argosy.client.Resources.PatchType;
import io.argosy.client.model.Models;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Carries out a claim: writes and takes away the owner reference that makes a child the controller's own. */
public final class Adoption<P extends HasMetadata, T extends HasMetadata> {
    private final Client client;
    private final Class<P> parentType;
    private final Class<T> childType;
    private final List<String> finalizers;

    public Adoption(Client client, Class<P> parentType, Class<T> childType) {
        this(client, parentType, childType, List.of());
    }

    /** Adopted children also get the finalizers, and released ones lose them. */
    public Adoption(Client client, Class<P> parentType, Class<T> childType, List<String> finalizers) {
        this.client = client;
        this.parentType = parentType;
        this.childType = childType;
        this.finalizers = finalizers;
    }

    /** The children that are the controller's own afterwards. */
    public List<T> carryOut(P controller, Claim<T> claim) {
        List<T> owned = new ArrayList<>(claim.kept());
        if (!claim.adopted().isEmpty()) {
            recheck(controller);
        }
        for (T orphan : claim.adopted()) {
            try {
                owned.add(adopt(controller, orphan));
            } catch (ApiException e) {
                if (!e.is(Reason.NotFound)) {
                    throw e;
                }
            }
        }
        for (T stranger : claim.released()) {
            try {
                release(controller, stranger);
            } catch (ApiException e) {
                if (!e.is(Reason.NotFound) && !e.is(Reason.Invalid)) {
                    throw e;
                }
            }
        }
        return owned;
    }

    /** The cache may be old: a controller that was deleted, or replaced by a namesake, must not take in anybody. */
    private void recheck(P controller) {
        String namespace = controller.getMetadata().getNamespace();
        String name = controller.getMetadata().getName();
        P fresh = client.resources(parentType).get(namespace, name);
        String kind = HasMetadata.getKind(parentType);
        String uid = controller.getMetadata().getUid();
        if (!uid.equals(fresh.getMetadata().getUid())) {
            throw new IllegalStateException("original " + kind + " " + namespace + "/" + name + " is gone: got uid "
                    + fresh.getMetadata().getUid() + ", wanted " + uid);
        }
        if (fresh.getMetadata().getDeletionTimestamp() != null) {
            throw new IllegalStateException(namespace + "/" + name + " has just been deleted at "
                    + fresh.getMetadata().getDeletionTimestamp());
        }
    }

    private T adopt(P controller, T orphan) {
        List<OwnerReference> owners = new ArrayList<>(orphan.getMetadata().getOwnerReferences());
        owners.removeIf(owner -> owner.getUid().equals(controller.getMetadata().getUid()));
        owners.add(Owners.controlledBy(controller));
        Set<String> held = new LinkedHashSet<>(orphan.getMetadata().getFinalizers());
        held.addAll(finalizers);
        return patch(orphan, owners, held);
    }

    private void release(P controller, T child) {
        List<OwnerReference> owners = new ArrayList<>(child.getMetadata().getOwnerReferences());
        owners.removeIf(owner -> owner.getUid().equals(controller.getMetadata().getUid()));
        Set<String> held = new LinkedHashSet<>(child.getMetadata().getFinalizers());
        finalizers.forEach(held::remove);
        patch(child, owners, held);
    }

    /** The uid makes sure that it is not a namesake, the resourceVersion that nobody else changed the owners meanwhile. */
    private T patch(T child, List<OwnerReference> owners, Set<String> held) {
        ObjectNode patch = Json.object();
        ObjectNode metadata = patch.putObject("metadata");
        metadata.put("uid", child.getMetadata().getUid());
        metadata.put("resourceVersion", child.getMetadata().getResourceVersion());
        ArrayNode references = metadata.putArray("ownerReferences");
        owners.forEach(owner -> references.add(Models.<ObjectNode>toTree(owner)));
        if (!finalizers.isEmpty()) {
            ArrayNode holders = metadata.putArray("finalizers");
            held.forEach(holders::add);
        }
        return client.resources(childType)
                .patch(child.getMetadata().getNamespace(), child.getMetadata().getName(), PatchType.MERGE, patch);
    }
}
