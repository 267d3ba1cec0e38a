package io.argosy.node.agent.pod;

import io.argosy.node.agent.log.PodLogs;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.runtime.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The last words of a container: its termination file, or, if its policy says so, the end of its log. */
final class TerminationMessages {
    private static final Logger LOG = LoggerFactory.getLogger(TerminationMessages.class);
    private static final int LINES = 80;
    private static final int BYTES = 2048;
    private static final int MOST_OF_POD = 12 * 1024;

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
            return container.withMessage(PodLogs.tail(container.logPath(), LINES, BYTES));
        } catch (IOException e) {
            LOG.warn("log of {} is not readable: {}", container.id(), e.toString());
            return container;
        }
    }

    /** All containers of a pod together may say so much, each as much as the others. */
    static String cut(Pod pod, String message) {
        byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
        int most = MOST_OF_POD / Math.max(1, PodFacts.all(pod).size());
        if (bytes.length <= most) {
            return message;
        }
        int end = most;
        while (end > 0 && (bytes[end] & 0xc0) == 0x80) {
            end--; // not in the middle of a character
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }
}
