package io.argosy.controllers.statefulset;

import io.argosy.client.Owners;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetPersistentVolumeClaimRetentionPolicy;
import java.util.ArrayList;
import java.util.List;

/**
 * Who a claim of a stateful set goes with: nobody, the set, or the pod that a smaller set will do without. The garbage collector does
 * the rest.
 */
final class ClaimOwners {
    private ClaimOwners() {}

    /**
     * The owners that the claim of one of the set's pods should have; others than the set and its pod stay as they are. What belongs to
     * their namesakes of old is not touched, and what another controller has does not get a second.
     */
    static List<OwnerReference> wanted(StatefulSet set, Pod pod, PersistentVolumeClaim claim) {
        if (isOfNamesakes(set, pod, claim)) {
            return claim.getMetadata().getOwnerReferences();
        }
        boolean free = !isForeign(set, pod, claim);
        boolean surplus = isSurplus(set, pod);
        boolean withPod = free && surplus && isDelete(policy(set).getWhenScaled());
        boolean withSet = free && !withPod && isDelete(policy(set).getWhenDeleted());
        List<OwnerReference> owners = new ArrayList<>();
        boolean hasSet = false;
        boolean hasPod = false;
        for (OwnerReference owner : claim.getMetadata().getOwnerReferences()) {
            if (refersTo(owner, set)) {
                hasSet = withSet;
                if (!withSet) {
                    continue;
                }
            } else if (refersTo(owner, pod)) {
                hasPod = withPod;
                if (!withPod) {
                    continue;
                }
            }
            owners.add(owner);
        }
        if (withSet && !hasSet) {
            owners.add(Owners.controlledBy(set));
        }
        if (withPod && !hasPod) {
            owners.add(Owners.controlledBy(pod));
        }
        return owners;
    }

    /** The policy would tie the claim, but somebody else has it. */
    static boolean isForeign(StatefulSet set, Pod pod, PersistentVolumeClaim claim) {
        boolean ties =
                isDelete(policy(set).getWhenScaled()) || isDelete(policy(set).getWhenDeleted());
        return ties
                && (isOfNamesakes(set, pod, claim)
                        || claim.getMetadata().getOwnerReferences().stream()
                                .anyMatch(owner -> Boolean.TRUE.equals(owner.getController())
                                        && !refersTo(owner, set)
                                        && !refersTo(owner, pod)));
    }

    private static boolean isOfNamesakes(StatefulSet set, Pod pod, PersistentVolumeClaim claim) {
        return claim.getMetadata().getOwnerReferences().stream()
                .anyMatch(owner -> isNamed(owner, "StatefulSet", set) && !refersTo(owner, set)
                        || isNamed(owner, "Pod", pod) && !refersTo(owner, pod));
    }

    private static boolean isNamed(OwnerReference owner, String kind, HasMetadata object) {
        return owner.getKind().equals(kind)
                && owner.getName().equals(object.getMetadata().getName());
    }

    /** The claim is still tied to an earlier pod of the same name, and goes with it. */
    static boolean isLeaving(PersistentVolumeClaim claim, String podName) {
        return claim.getMetadata().getDeletionTimestamp() != null
                || claim.getMetadata().getOwnerReferences().stream()
                        .anyMatch(owner ->
                                owner.getKind().equals("Pod") && owner.getName().equals(podName));
    }

    private static boolean isSurplus(StatefulSet set, Pod pod) {
        int ordinal = Ordinals.of(set, pod);
        return ordinal < Ordinals.start(set) || ordinal >= Ordinals.start(set) + Ordinals.replicas(set);
    }

    private static StatefulSetPersistentVolumeClaimRetentionPolicy policy(StatefulSet set) {
        return set.getSpec().getPersistentVolumeClaimRetentionPolicy() == null
                ? new StatefulSetPersistentVolumeClaimRetentionPolicy()
                : set.getSpec().getPersistentVolumeClaimRetentionPolicy();
    }

    private static boolean isDelete(String policy) {
        return "Delete".equals(policy);
    }

    private static boolean refersTo(OwnerReference owner, HasMetadata object) {
        return owner.getUid().equals(object.getMetadata().getUid());
    }
}
