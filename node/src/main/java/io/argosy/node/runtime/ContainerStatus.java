package io.argosy.node.runtime;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A container as it stands now.
 *
 * @param pid of its first process, as the host counts; only while CREATED or RUNNING
 * @param exitCode only when EXITED; 128 plus the signal if one killed it
 * @param reason when EXITED: Completed, Error, OOMKilled; ContainerStatusUnknown if nobody saw the exit
 * @param message what the container left in its termination log, cut at 4096 bytes
 * @param user whom it began as, if the runtime tells
 */
public record ContainerStatus(
        String id,
        String sandboxId,
        PodIdentity pod,
        String name,
        int attempt,
        State state,
        OptionalLong pid,
        Instant createdAt,
        Optional<Instant> startedAt,
        Optional<Instant> finishedAt,
        OptionalInt exitCode,
        String reason,
        String message,
        Path logPath,
        String imageId,
        Optional<ProcessUser> user,
        Map<String, String> labels) {

    /** The four states of the CRI. */
    public enum State {
        CREATED,
        RUNNING,
        EXITED,
        UNKNOWN
    }

    public ContainerStatus {
        labels = Map.copyOf(labels);
    }

    public ContainerStatus withMessage(String words) {
        return new ContainerStatus(
                id,
                sandboxId,
                pod,
                name,
                attempt,
                state,
                pid,
                createdAt,
                startedAt,
                finishedAt,
                exitCode,
                reason,
                words,
                logPath,
                imageId,
                user,
                labels);
    }
}
