package io.argosy.node.agent.log;

import io.argosy.api.time.Clock;
import io.argosy.node.runtime.ContainerRuntime;
import io.argosy.node.runtime.ContainerStatus;
import io.argosy.node.runtime.RuntimeFailure;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps logs from filling the disk: at 10 MiB a log is set aside under the time at which that happened and a new one begun; five are kept
 * for each container. Those set aside are compressed, but not the newest of them: its writer and its readers may not be done with it. How
 * far a log can grow between two looks is the runtime's affair.
 */
public final class LogRotation {
    private static final Logger LOG = LoggerFactory.getLogger(LogRotation.class);
    public static final long MAX_BYTES = 10L << 20;
    public static final int MAX_FILES = 5;

    private static final String COMPRESSED = ".gz";
    private static final String HALF_MADE = ".tmp";
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

    private final ContainerRuntime runtime;
    private final Clock clock;
    private final long maxBytes;

    public LogRotation(ContainerRuntime runtime, Clock clock) {
        this(runtime, clock, MAX_BYTES);
    }

    LogRotation(ContainerRuntime runtime, Clock clock, long maxBytes) {
        this.runtime = runtime;
        this.clock = clock;
        this.maxBytes = maxBytes;
    }

    /** Rotates the logs that have grown too large; one that somebody took away is begun anew. */
    public void check(Collection<ContainerStatus> running) {
        for (ContainerStatus container : running) {
            try {
                Path log = container.logPath();
                if (!Files.exists(log)) {
                    runtime.reopenLog(container.id());
                } else if (Files.size(log) >= maxBytes) {
                    rotate(container.id(), log);
                }
            } catch (IOException | RuntimeException e) {
                LOG.warn("log of container {} could not be rotated: {}", container.id(), e.toString());
            }
        }
    }

    /** Removes everything that was written of a container that goes. */
    public static void remove(Path log) throws IOException {
        Files.deleteIfExists(log);
        for (Path aside : setAside(log)) {
            Files.deleteIfExists(aside);
        }
    }

    private void rotate(String id, Path log) throws IOException {
        List<Path> kept = withoutOldest(withoutUseless(setAside(log)));
        for (Path aside : kept) {
            if (!aside.toString().endsWith(COMPRESSED)) {
                compress(aside);
            }
        }
        Path aside = log.resolveSibling(log.getFileName() + "." + STAMP.format(clock.now()));
        Files.move(log, aside);
        try {
            runtime.reopenLog(id);
        } catch (RuntimeFailure e) {
            Files.move(aside, log); // still written to, and the next look tries again
            throw e;
        }
    }

    /** What was set aside of a log, the oldest first. */
    private static List<Path> setAside(Path log) throws IOException {
        String prefix = log.getFileName() + ".";
        if (!Files.isDirectory(log.getParent())) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(log.getParent())) {
            return files.filter(file -> file.getFileName().toString().startsWith(prefix))
                    .sorted()
                    .toList();
        }
    }

    /** Takes away what a compression left that was cut short: its half-made file, or what is there compressed too. */
    private static List<Path> withoutUseless(List<Path> files) throws IOException {
        List<Path> useless = files.stream()
                .filter(file -> file.toString().endsWith(HALF_MADE)
                        || files.contains(file.resolveSibling(file.getFileName() + COMPRESSED)))
                .toList();
        for (Path file : useless) {
            Files.delete(file);
        }
        return files.stream().filter(file -> !useless.contains(file)).toList();
    }

    /** There will be the log and the one set aside now, beside what this leaves. */
    private static List<Path> withoutOldest(List<Path> files) throws IOException {
        int excess = Math.max(0, files.size() - (MAX_FILES - 2));
        for (Path file : files.subList(0, excess)) {
            Files.delete(file);
        }
        return files.subList(excess, files.size());
    }

    private static void compress(Path file) throws IOException {
        Path draft = file.resolveSibling(file.getFileName() + HALF_MADE);
        try {
            try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(draft), 1 << 16)) {
                Files.copy(file, out);
            }
            Files.setPosixFilePermissions(draft, Files.getPosixFilePermissions(file));
            Files.move(
                    draft,
                    file.resolveSibling(file.getFileName() + COMPRESSED),
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(draft);
        }
        Files.delete(file);
    }
}
