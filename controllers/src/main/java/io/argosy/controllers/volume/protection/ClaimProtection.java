package io.argosy.controllers.volume.protection;

import io.argosy.api.NamespacedName;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.pod.Pods;
import io.argosy.controllers.volume.ClaimUsers;
import io.argosy.controllers.volume.Claims;
import io.argosy.controllers.volume.StorageNames;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Lets a deleted claim go only when no pod uses it any more. */
public final class ClaimProtection implements Reconciler {
    private final Resources<PersistentVolumeClaim> claimResources;
    private final Resources<Pod> podResources;
    private final Informer<PersistentVolumeClaim> claims;
    private final ClaimUsers users;

    private ClaimProtection(Client client, Informers informers, ClaimUsers users) {
        claimResources = client.resources(PersistentVolumeClaim.class);
        podResources = client.resources(Pod.class);
        claims = informers.of(PersistentVolumeClaim.class);
        this.users = users;
    }

    public static Controller controller(Client client, Informers informers, Clock clock, ClaimUsers users) {
        return Controller.named("persistentvolumeclaim-protection-controller", informers, clock)
                .watches(PersistentVolumeClaim.class)
                .maps(Pod.class, ClaimUsers::claimsOf)
                .reconciler(new ClaimProtection(client, informers, users));
    }

    @Override
    public Result reconcile(NamespacedName key) {
        PersistentVolumeClaim claim = claims.get(key).orElse(null);
        if (claim == null) {
            return Result.done();
        }
        List<String> finalizers = claim.getMetadata().getFinalizers();
        boolean isProtected = finalizers != null && finalizers.contains(StorageNames.CLAIM_PROTECTION);
        if (!Claims.isDeleting(claim) && !isProtected) {
            claimResources.update(new PersistentVolumeClaimBuilder(claim)
                    .editMetadata()
                    .addToFinalizers(StorageNames.CLAIM_PROTECTION)
                    .endMetadata()
                    .build());
        } else if (Claims.isDeleting(claim) && isProtected && isUnused(claim)) {
            claimResources.update(new PersistentVolumeClaimBuilder(claim)
                    .editMetadata()
                    .removeFromFinalizers(StorageNames.CLAIM_PROTECTION)
                    .endMetadata()
                    .build());
        }
        return Result.done();
    }

    /** The cache may lag behind: the last word is the server's. */
    private boolean isUnused(PersistentVolumeClaim claim) {
        NamespacedName name = Claims.nameOf(claim);
        return noneUses(users.of(claim), name)
                && noneUses(podResources.list(claim.getMetadata().getNamespace(), Map.of()), name);
    }

    private static boolean noneUses(Collection<Pod> pods, NamespacedName claim) {
        return pods.stream().noneMatch(pod -> uses(pod, claim));
    }

    /** A pod without a node has not begun, and its node will not begin it with a claim that is going. */
    static boolean uses(Pod pod, NamespacedName claim) {
        return !Claims.text(pod.getSpec().getNodeName()).isEmpty()
                && !Pods.isTerminal(pod)
                && !isShutDown(pod)
                && ClaimUsers.claimsOf(pod).contains(claim);
    }

    private static boolean isShutDown(Pod pod) {
        Long grace = pod.getMetadata().getDeletionGracePeriodSeconds();
        return Claims.isDeleting(pod) && grace != null && grace == 0;
    }
}
