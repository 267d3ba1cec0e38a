package io.argosy.node.agent.pod;

import io.argosy.node.agent.log.PodLogs;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.runtime.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The last words of a container: its termination file, or, if its policy says so, the end of its log. */
final class TerminationMessages {
    private static final Logger LOG = LoggerFactory.getLogger(TerminationMessages.class);
    private static final int LINES = 80;
    private static final int BYTES = 2048;

    private TerminationMessages() {}

    /** A container that failed without a word may speak through the end of its log, if it wants so. */
    static ContainerStatus complete(Pod pod, ContainerStatus container) {
        boolean silent = container.state() == ContainerStatus.State.EXITED
                && container.message().isEmpty()
                && container.exitCode().orElse(0) != 0;
        boolean fallback = PodFacts.container(pod, container.name())
                .map(c -> "FallbackToLogsOnError".equals(c.getTerminationMessagePolicy()))
                .orElse(false);
        if (!silent || !fallback) {
            return container;
        }
        try {
            return withMessage(container, PodLogs.tail(container.logPath(), LINES, BYTES));
        } catch (IOException e) {
            LOG.warn("log of {} is not readable: {}", container.id(), e.toString());
            return container;
        }
    }

    private static ContainerStatus withMessage(ContainerStatus c, String message) {
        return new ContainerStatus(
                c.id(),
                c.sandboxId(),
                c.pod(),
                c.name(),
                c.attempt(),
                c.state(),
                c.pid(),
                c.createdAt(),
                c.startedAt(),
                c.finishedAt(),
                c.exitCode(),
                c.reason(),
                message,
                c.logPath(),
                c.imageId(),
                c.labels());
    }
}
