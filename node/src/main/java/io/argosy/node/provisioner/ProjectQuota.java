package io.argosy.node.provisioner;

import io.argosy.node.files.Projects;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits by project quota, which ext4 and XFS have where they are mounted with it: every folder is a project of its own, and all that
 * is made in it inherits the project. What numbers are taken is asked of the file system each time, since others may use them too.
 */
final class ProjectQuota implements FolderLimits {
    private static final Logger LOG = LoggerFactory.getLogger(ProjectQuota.class);
    private static final Set<String> ENFORCED = Set.of("prjquota", "pquota");
    /** Far above what people write into /etc/projects by hand. */
    private static final int FIRST = 0x41000000;

    private static final int NUMBERS = 1 << 24;

    ProjectQuota() {}

    /** The limits that the file system has on which the folder is or will be. Says in the log if it has none. */
    static FolderLimits of(Path folder) {
        try {
            String mountInfo = Files.readString(Path.of("/proc/self/mountinfo"), StandardCharsets.ISO_8859_1);
            if (isOn(mountInfo.lines().toList(), existing(folder).toRealPath())) {
                return new ProjectQuota();
            }
            LOG.info(
                    "the file system of {} has no project quota: volumes of argosy.io/local grow as long as there is"
                            + " room",
                    folder);
        } catch (IOException e) {
            LOG.warn("volumes of argosy.io/local are not limited, {} cannot be looked at: {}", folder, e.toString());
        }
        return NONE;
    }

    private static Path existing(Path folder) {
        Path at = folder.toAbsolutePath();
        while (!Files.exists(at)) {
            at = at.getParent();
        }
        return at;
    }

    /** Whether the file system that holds the path is mounted with project quota; of mounts at one place the last one counts. */
    static boolean isOn(List<String> mountInfo, Path path) {
        int deepest = -1;
        boolean on = false;
        for (String line : mountInfo) {
            String[] parts = line.split(" - ", 2);
            Path point = Path.of(parts[0].split(" ")[4].replace("\\040", " "));
            if (path.startsWith(point) && point.getNameCount() >= deepest) {
                deepest = point.getNameCount();
                String[] system = parts[1].split(" ");
                on = List.of(system[system.length - 1].split(",")).stream().anyMatch(ENFORCED::contains);
            }
        }
        return on;
    }

    @Override
    public synchronized void begin(Path folder, long bytes) throws IOException {
        OptionalInt begun = ours(folder); // by an attempt that was not finished
        int project = begun.isPresent() ? begun.getAsInt() : free(folder);
        Projects.limit(folder, project, bytes);
        Projects.assign(folder, project);
    }

    private static int free(Path folder) throws IOException {
        int wish = folder.getFileName().toString().hashCode();
        for (int further = 0; further < NUMBERS; further++) {
            int project = FIRST + ((wish + further) & (NUMBERS - 1));
            if (!Projects.isUsed(folder, project)) {
                return project;
            }
        }
        throw new IOException("no project number is free on the file system of " + folder);
    }

    @Override
    public void change(Path folder, long bytes) throws IOException {
        OptionalInt project = ours(folder);
        if (project.isPresent()) {
            Projects.limit(folder, project.getAsInt(), bytes);
        }
    }

    @Override
    public Runnable ending(Path folder) throws IOException {
        OptionalInt project = ours(folder);
        Path system = folder.getParent();
        return () -> {
            if (project.isPresent()) {
                try {
                    Projects.limit(system, project.getAsInt(), 0);
                } catch (IOException e) {
                    LOG.warn("the limit of {} was not taken back: {}", folder, e.toString());
                }
            }
        };
    }

    /** A project that somebody else gave the folder, or one above it, is theirs to limit. */
    private static OptionalInt ours(Path folder) throws IOException {
        OptionalInt project = Files.isDirectory(folder) ? Projects.of(folder) : OptionalInt.empty();
        return project.isPresent() && project.getAsInt() >= FIRST && project.getAsInt() < FIRST + NUMBERS
                ? project
                : OptionalInt.empty();
    }
}
