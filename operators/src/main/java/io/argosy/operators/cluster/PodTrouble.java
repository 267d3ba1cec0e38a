package io.argosy.operators.cluster;

import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Why a pod does not run, as its node or the scheduler says it.
 *
 * @param image whether it is for want of an image, which is not to be had for another pod either
 */
public record PodTrouble(boolean image, String message) {
    private static final Set<String> PASSING = Set.of("ContainerCreating", "PodInitializing");
    private static final Set<String> IMAGE = Set.of(
            "ErrImagePull",
            "ImagePullBackOff",
            "InvalidImageName",
            "ErrImageNeverPull",
            "ImageInspectError",
            "RegistryUnavailable");

    public static Optional<PodTrouble> of(Pod pod) {
        List<ContainerStatus> waiting = statuses(pod)
                .filter(status -> waiting(status) != null && !PASSING.contains(reason(status)))
                .toList();
        if (!waiting.isEmpty()) {
            return Optional.of(new PodTrouble(
                    waiting.stream().anyMatch(status -> IMAGE.contains(reason(status))),
                    waiting.stream().map(PodTrouble::message).collect(Collectors.joining("; "))));
        }
        return pod.getStatus() == null
                ? Optional.empty()
                : pod.getStatus().getConditions().stream()
                        .filter(condition ->
                                "PodScheduled".equals(condition.getType()) && "False".equals(condition.getStatus()))
                        .map(condition -> new PodTrouble(false, condition.getMessage()))
                        .findFirst();
    }

    private static String message(ContainerStatus status) {
        String message = waiting(status).getMessage();
        return status.getName() + " waits: " + reason(status) + (message == null ? "" : " " + message);
    }

    private static String reason(ContainerStatus status) {
        return String.valueOf(waiting(status).getReason());
    }

    private static ContainerStateWaiting waiting(ContainerStatus status) {
        return status.getState() == null ? null : status.getState().getWaiting();
    }

    /** Every container of a pod that says something of itself. */
    public static Stream<ContainerStatus> statuses(Pod pod) {
        return pod.getStatus() == null
                ? Stream.empty()
                : Stream.of(
                                pod.getStatus().getInitContainerStatuses(),
                                pod.getStatus().getContainerStatuses())
                        .flatMap(List::stream);
    }
}
