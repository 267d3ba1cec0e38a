package io.argosy.junit.chapter;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.util.List;

/** How pods are. */
final class Pods {
    private Pods() {}

    static boolean isReady(Pod pod) {
        return pod.getStatus() != null
                && pod.getStatus().getConditions() != null
                && pod.getMetadata().getDeletionTimestamp() == null
                && pod.getStatus().getConditions().stream().anyMatch(Pods::isReady);
    }

    private static boolean isReady(PodCondition condition) {
        return condition.getType().equals("Ready") && condition.getStatus().equals("True");
    }

    /** Neither finished nor on its way out. */
    static boolean isActive(Pod pod) {
        String phase = pod.getStatus() == null ? "" : pod.getStatus().getPhase();
        return pod.getMetadata().getDeletionTimestamp() == null
                && !"Succeeded".equals(phase)
                && !"Failed".equals(phase);
    }

    static boolean isOf(Pod pod, String label, String value) {
        return pod.getMetadata().getLabels() != null
                && value.equals(pod.getMetadata().getLabels().get(label));
    }

    static long ready(List<Pod> pods) {
        return pods.stream().filter(Pods::isReady).count();
    }

    static long active(List<Pod> pods) {
        return pods.stream().filter(Pods::isActive).count();
    }

    static String image(Pod pod) {
        return pod.getSpec().getContainers().getFirst().getImage();
    }
}
