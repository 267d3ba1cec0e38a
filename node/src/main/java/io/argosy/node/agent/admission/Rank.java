package io.argosy.node.agent.admission;

import io.argosy.node.agent.manifest.StaticPod;
import io.argosy.node.agent.model.PodFacts;
import io.fabric8.kubernetes.api.model.Pod;

/** Who may stay at the cost of whom. */
public final class Rank {
    private Rank() {}

    /** Whether the node or the cluster does not work without the pod. */
    public static boolean critical(Pod pod) {
        return StaticPod.isOfManifest(pod) || PodFacts.priority(pod) >= PodFacts.CRITICAL;
    }

    /** Whether the one may drive out the other: of two critical ones only by a higher priority, if both have any. */
    static boolean above(Pod one, Pod other) {
        if (critical(one) && !critical(other)) {
            return true;
        }
        Integer own = one.getSpec().getPriority();
        Integer others = other.getSpec().getPriority();
        return own != null && others != null && own > others;
    }
}
