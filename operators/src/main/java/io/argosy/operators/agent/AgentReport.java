package io.argosy.operators.agent;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.argosy.operators.cluster.PodTrouble;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** What an agent's pod tells of its work. */
public final class AgentReport {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** Beyond its task's time: to be scheduled, pulled and started. */
    private static final Duration GRACE = Duration.ofSeconds(60);

    private AgentReport() {}

    /** How the container's task ended, or why it will not; empty while the pod works, which it may do for so long. */
    public static Optional<Outcome> of(Pod pod, String container, Duration patience, Instant now) {
        Optional<Outcome> failure = failure(pod);
        if (failure.isPresent()) {
            return failure;
        }
        Optional<Outcome> told = PodTrouble.statuses(pod)
                .filter(status -> status.getName().equals(container))
                .filter(status -> ended(status) != null)
                .map(AgentReport::outcome)
                .findFirst();
        boolean over = container.equals("fetch")
                ? pod.getStatus() != null && "Succeeded".equals(pod.getStatus().getPhase())
                : told.isPresent();
        if (over && told.isPresent()) {
            return told;
        }
        Instant begin = Instant.parse(pod.getMetadata().getCreationTimestamp());
        return now.isAfter(begin.plus(patience).plus(GRACE))
                ? Optional.of(Outcome.failed(
                        "TimedOut",
                        "pod " + pod.getMetadata().getName() + " was not done after " + patience.toSeconds() + " s"
                                + hindrance(pod)))
                : Optional.empty();
    }

    private static ContainerStateTerminated ended(ContainerStatus status) {
        return status.getState() == null ? null : status.getState().getTerminated();
    }

    private static Optional<Outcome> failure(Pod pod) {
        Optional<Outcome> broken = PodTrouble.statuses(pod)
                .filter(status -> ended(status) != null && ended(status).getExitCode() != 0)
                .map(AgentReport::outcome)
                .findFirst();
        if (broken.isPresent()
                || pod.getStatus() == null
                || !"Failed".equals(pod.getStatus().getPhase())) {
            return broken;
        }
        String reason = pod.getStatus().getReason();
        return Optional.of(Outcome.failed(
                "DeadlineExceeded".equals(reason) ? "TimedOut" : "AgentFailed",
                "pod " + pod.getMetadata().getName() + " failed: " + reason + ": "
                        + pod.getStatus().getMessage()));
    }

    private static Outcome outcome(ContainerStatus status) {
        String message = ended(status).getMessage();
        try {
            if (message != null && message.startsWith("{")) {
                return JSON.readValue(message, Outcome.class);
            }
        } catch (JsonProcessingException e) {
            // said as it is
        }
        return Outcome.failed(
                "AgentFailed",
                "container " + status.getName() + " exited with "
                        + ended(status).getExitCode() + (message == null ? "" : ": " + message.strip()));
    }

    private static String hindrance(Pod pod) {
        return PodTrouble.of(pod).map(trouble -> ": " + trouble.message()).orElse("");
    }
}
