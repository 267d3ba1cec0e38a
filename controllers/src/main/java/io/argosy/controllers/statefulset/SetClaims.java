package io.argosy.controllers.statefulset;

import io.argosy.api.NamespacedName;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.List;
import java.util.Optional;

/** The hand for the claims of stateful sets: makes those that a pod lacks and ties them to who they are to go with. */
final class SetClaims {
    private final Resources<PersistentVolumeClaim> resources;
    private final Informer<PersistentVolumeClaim> claims;
    private final SetEvents events;

    SetClaims(Client client, Informers informers, SetEvents events) {
        resources = client.resources(PersistentVolumeClaim.class);
        claims = informers.of(PersistentVolumeClaim.class);
        this.events = events;
    }

    /** Makes all claims that the pod of this ordinal needs; throws a refusal when it has tried all. */
    void provide(StatefulSet set, String pod, int ordinal) {
        ApiException failure = null;
        for (PersistentVolumeClaim claim : SetIdentity.claims(set, ordinal)) {
            String name = claim.getMetadata().getName();
            Optional<PersistentVolumeClaim> present =
                    resources.find(claim.getMetadata().getNamespace(), name);
            if (present.filter(found -> ClaimOwners.isLeaving(found, pod)).isPresent()) {
                throw new ApiException(Reason.Conflict, "pvc " + name + " is being deleted");
            }
            if (present.isEmpty()) {
                try {
                    resources.create(claim);
                    events.claimCreated(set, name, pod);
                } catch (ApiException e) {
                    events.claimFailed(set, name, pod, e);
                    failure = new ApiException(
                            e.reason(), e.code(), "failed to create PVC " + name + ": " + e.getMessage(), e.details());
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** The same for a pod that is there, as far as the cache knows of a claim that is not. */
    void complete(StatefulSet set, Pod pod) {
        int ordinal = Ordinals.of(set, pod);
        boolean lacks = set.getSpec().getVolumeClaimTemplates().stream()
                .anyMatch(template -> find(set, template, ordinal).isEmpty());
        if (lacks) {
            provide(set, pod.getMetadata().getName(), ordinal);
        }
    }

    /** Ties claims to whoever they are to go with, before that one goes. */
    void retain(StatefulSet set, List<Pod> own) {
        if (set.getMetadata().getDeletionTimestamp() != null) {
            return;
        }
        for (Pod pod : own) {
            for (PersistentVolumeClaim template : set.getSpec().getVolumeClaimTemplates()) {
                find(set, template, Ordinals.of(set, pod))
                        .filter(claim -> claim.getMetadata().getDeletionTimestamp() == null)
                        .ifPresent(claim -> tie(set, pod, claim));
            }
        }
    }

    private void tie(StatefulSet set, Pod pod, PersistentVolumeClaim claim) {
        if (ClaimOwners.isForeign(set, pod, claim)) {
            events.claimForeign(set, claim.getMetadata().getName());
        }
        List<OwnerReference> owners = ClaimOwners.wanted(set, pod, claim);
        if (!owners.equals(claim.getMetadata().getOwnerReferences())) {
            resources.update(new PersistentVolumeClaimBuilder(claim)
                    .editMetadata()
                    .withOwnerReferences(owners)
                    .endMetadata()
                    .build());
        }
    }

    private Optional<PersistentVolumeClaim> find(StatefulSet set, PersistentVolumeClaim template, int ordinal) {
        return claims.get(
                NamespacedName.of(set.getMetadata().getNamespace(), SetIdentity.claimName(set, template, ordinal)));
    }
}
