package io.argosy.controllers.statefulset;

import io.argosy.controllers.pod.Pods;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.time.Instant;

/** The numbers by which the pods of a stateful set are known, and how healthy each is. */
final class Ordinals {
    static final String REVISION = "controller-revision-hash";

    private Ordinals() {}

    static int start(StatefulSet set) {
        return set.getSpec().getOrdinals() == null
                        || set.getSpec().getOrdinals().getStart() == null
                ? 0
                : set.getSpec().getOrdinals().getStart();
    }

    static int replicas(StatefulSet set) {
        return set.getSpec().getReplicas() == null ? 1 : set.getSpec().getReplicas();
    }

    /** The ordinal of one of the set's pods, or -1 for a name that is not its own. */
    static int of(StatefulSet set, Pod pod) {
        String prefix = set.getMetadata().getName() + "-";
        String name = pod.getMetadata().getName();
        String ordinal = name.startsWith(prefix) ? name.substring(prefix.length()) : "";
        return ordinal.matches("0|[1-9][0-9]{0,8}") ? Integer.parseInt(ordinal) : -1;
    }

    static String revision(Pod pod) {
        return pod.getMetadata().getLabels() == null
                ? null
                : pod.getMetadata().getLabels().get(REVISION);
    }

    static boolean isReady(Pod pod) {
        return Pods.phase(pod).equals("Running") && Pods.isReady(pod);
    }

    static boolean isHealthy(Pod pod, int minReadySeconds, Instant now) {
        return !Pods.isDeleting(pod) && isReady(pod) && Pods.isAvailable(pod, minReadySeconds, now);
    }
}
