package io.argosy.controllers.history;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.client.Client;
import io.argosy.client.LabelSelectors;
import io.argosy.client.Resources;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.meta.Adoption;
import io.argosy.controllers.meta.Claim;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import java.util.List;
import java.util.Map;

/** Keeps the history of workloads in the API: takes in orphaned revisions, writes the newest and removes those too old. */
public final class HistoryHand<P extends HasMetadata> {
    private final Resources<ControllerRevision> resources;
    private final Informer<ControllerRevision> revisions;
    private final Adoption<P, ControllerRevision> adoption;

    public HistoryHand(Client client, Informers informers, Class<P> ownerType) {
        resources = client.resources(ControllerRevision.class);
        revisions = informers.of(ControllerRevision.class);
        adoption = new Adoption<>(client, ownerType, ControllerRevision.class);
    }

    /**
     * What a workload says of its history.
     *
     * @param currentRevision the revision that its status names, or null
     * @param collisionCount how often the name of a revision was taken, or null
     */
    public record Owner<P>(
            P object,
            LabelSelector selector,
            PodTemplateSpec template,
            String currentRevision,
            Integer collisionCount,
            RevisionHistory.Keeping keeping) {}

    /** The history with a revision of the template as it is now, which is there afterwards unless the workload is going. */
    public RevisionHistory settle(Owner<P> owner) {
        String namespace = owner.object().getMetadata().getNamespace();
        List<ControllerRevision> own = claim(owner, revisions.list(namespace));
        RevisionHistory history = history(owner, own, owner.collisionCount());
        if (owner.object().getMetadata().getDeletionTimestamp() != null) {
            return history;
        }
        if (history.create()) {
            // The cache may not have heard yet that another of this name left its revisions: a new one would replace
            // all pods.
            own = claim(owner, resources.list(namespace, Map.of()));
            history = history(owner, own, owner.collisionCount());
        }
        while (!write(history)) {
            Integer collisions = history.collisionCount();
            history = history(owner, own, collisions == null ? 1 : collisions + 1);
        }
        return history;
    }

    private List<ControllerRevision> claim(Owner<P> owner, List<ControllerRevision> there) {
        return adoption.carryOut(
                owner.object(),
                Claim.of(
                        owner.object(),
                        there,
                        revision -> LabelSelectors.matches(
                                owner.selector(), revision.getMetadata().getLabels())));
    }

    private static <P extends HasMetadata> RevisionHistory history(
            Owner<P> owner, List<ControllerRevision> own, Integer collisions) {
        return RevisionHistory.of(
                owner.object(), owner.template(), own, owner.currentRevision(), collisions, owner.keeping());
    }

    /** False where the name of the new revision belongs to one of another template. */
    private boolean write(RevisionHistory history) {
        ControllerRevision update = history.update();
        if (history.renumber()) {
            resources.update(update);
        } else if (history.create()) {
            try {
                resources.create(update);
            } catch (ApiException e) {
                if (!e.is(Reason.AlreadyExists)) {
                    throw e;
                }
                ControllerRevision taken = resources.get(
                        update.getMetadata().getNamespace(),
                        update.getMetadata().getName());
                return RevisionHistory.sameData(taken, update);
            }
        }
        return true;
    }

    public void forget(RevisionHistory history) {
        for (ControllerRevision old : history.forget()) {
            try {
                resources.delete(
                        old.getMetadata().getNamespace(), old.getMetadata().getName(), DeleteOptions.DEFAULT);
            } catch (ApiException e) {
                if (!e.is(Reason.NotFound)) {
                    throw e;
                }
            }
        }
    }
}
