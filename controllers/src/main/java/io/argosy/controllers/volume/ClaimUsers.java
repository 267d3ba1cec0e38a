package io.argosy.controllers.volume;

import io.argosy.api.NamespacedName;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import java.util.ArrayList;
import java.util.List;

/** Which pods use which claims. */
public final class ClaimUsers {
    private static final String BY_CLAIM = "volume-claim";

    private final Informer<Pod> pods;

    public ClaimUsers(Informers informers) {
        pods = informers.of(Pod.class);
        pods.addIndex(
                BY_CLAIM,
                pod -> claimsOf(pod).stream().map(NamespacedName::toString).toList());
    }

    /** All pods that name the claim, the ended ones too. */
    public List<Pod> of(PersistentVolumeClaim claim) {
        return pods.byIndex(BY_CLAIM, Claims.nameOf(claim).toString());
    }

    /** The claims a pod names, and those that are made for it. */
    public static List<NamespacedName> claimsOf(Pod pod) {
        List<NamespacedName> claims = new ArrayList<>();
        if (pod.getSpec().getVolumes() != null) {
            for (Volume volume : pod.getSpec().getVolumes()) {
                String name = claimName(pod, volume);
                if (name != null) {
                    claims.add(NamespacedName.of(pod.getMetadata().getNamespace(), name));
                }
            }
        }
        return claims;
    }

    /** The claim behind a volume, or null; one that is made for the pod alone is called after both. */
    public static String claimName(Pod pod, Volume volume) {
        if (volume.getPersistentVolumeClaim() != null) {
            return volume.getPersistentVolumeClaim().getClaimName();
        }
        return volume.getEphemeral() == null ? null : pod.getMetadata().getName() + "-" + volume.getName();
    }
}
