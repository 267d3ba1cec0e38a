package io.argosy.junit.story;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.util.List;

/** An object in one line; for a pod, how it is. */
public final class Summary {
    private Summary() {}

    public static String of(HasMetadata object) {
        StringBuilder line = new StringBuilder(name(object));
        if (object.getMetadata().getDeletionTimestamp() != null) {
            line.append(", being deleted");
            if (object.getMetadata().getFinalizers() != null
                    && !object.getMetadata().getFinalizers().isEmpty()) {
                line.append(" (waits for ")
                        .append(String.join(", ", object.getMetadata().getFinalizers()))
                        .append(')');
            }
        }
        if (object instanceof Pod pod) {
            pod(pod, line);
        }
        return line.toString();
    }

    public static String name(HasMetadata object) {
        String namespace = object.getMetadata().getNamespace();
        return object.getKind() + " " + (namespace == null ? "" : namespace + "/")
                + object.getMetadata().getName();
    }

    private static void pod(Pod pod, StringBuilder line) {
        String node = pod.getSpec() == null ? null : pod.getSpec().getNodeName();
        line.append(node == null || node.isEmpty() ? ", on no node" : ", on " + node);
        PodStatus status = pod.getStatus();
        if (status == null) {
            return;
        }
        line.append(", ").append(status.getPhase());
        for (PodCondition condition : nonNull(status.getConditions())) {
            if (condition.getType().equals("Ready")) {
                line.append(condition.getStatus().equals("True") ? ", ready" : ", not ready");
            } else if (condition.getType().equals("PodScheduled")
                    && condition.getStatus().equals("False")) {
                line.append(", ").append(condition.getReason()).append(": ").append(condition.getMessage());
            }
        }
        for (ContainerStatus container : nonNull(status.getContainerStatuses())) {
            line.append("; ").append(container.getName()).append(' ').append(state(container.getState()));
            if (container.getRestartCount() != null && container.getRestartCount() > 0) {
                line.append(", restarted ").append(container.getRestartCount()).append(" times");
            }
        }
    }

    private static String state(ContainerState state) {
        if (state == null) {
            return "unknown";
        }
        if (state.getWaiting() != null) {
            String message = state.getWaiting().getMessage();
            return "waits: " + state.getWaiting().getReason() + (message == null ? "" : " (" + message + ")");
        }
        if (state.getTerminated() != null) {
            return "exited with " + state.getTerminated().getExitCode() + " ("
                    + state.getTerminated().getReason() + ")";
        }
        return "runs";
    }

    private static <T> List<T> nonNull(List<T> list) {
        return list == null ? List.of() : list;
    }
}
