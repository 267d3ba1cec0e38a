package io.argosy.node.agent.log;

import io.argosy.node.runtime.ContainerRuntime;
import io.argosy.node.runtime.ContainerStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps logs from filling the disk: at 10 MiB a log is set aside and a new one begun; five are kept for each container. How far a log
 * can grow between two looks is the runtime's affair.
 */
public final class LogRotation {
    private static final Logger LOG = LoggerFactory.getLogger(LogRotation.class);
    public static final long MAX_BYTES = 10L << 20;
    public static final int MAX_FILES = 5;

    private final ContainerRuntime runtime;
    private final long maxBytes;

    public LogRotation(ContainerRuntime runtime) {
        this(runtime, MAX_BYTES);
    }

    LogRotation(ContainerRuntime runtime, long maxBytes) {
        this.runtime = runtime;
        this.maxBytes = maxBytes;
    }

    /** Rotates the logs that have grown too large. */
    public void check(Collection<ContainerStatus> running) {
        for (ContainerStatus container : running) {
            try {
                Path log = container.logPath();
                if (Files.exists(log) && Files.size(log) >= maxBytes) {
                    rotate(container.id(), log);
                }
            } catch (IOException | RuntimeException e) {
                LOG.warn("log of container {} could not be rotated: {}", container.id(), e.toString());
            }
        }
    }

    /** The newest old log ends in .1, the oldest in .4. */
    private void rotate(String id, Path log) throws IOException {
        for (int i = MAX_FILES - 2; i >= 1; i--) {
            Path from = numbered(log, i);
            if (Files.exists(from)) {
                Files.move(from, numbered(log, i + 1), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        Files.move(log, numbered(log, 1), StandardCopyOption.REPLACE_EXISTING);
        runtime.reopenLog(id);
    }

    private static Path numbered(Path log, int number) {
        return log.resolveSibling(log.getFileName() + "." + number);
    }
}
