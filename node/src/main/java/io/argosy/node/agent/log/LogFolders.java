package io.argosy.node.agent.log;

import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.files.Trees;
import io.argosy.node.runtime.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Where the logs of this node's pods lie, laid out as kubelet does it, for those who collect logs: {@code pods/<namespace>_<pod>_<uid>/
 * <container>/<attempt>.log}, and beside it {@code containers} with a link to each log that is named after its container.
 *
 * <p>The folder may be one that several nodes write to, as {@code /var/log} is. What is this node's own is known from its home alone: for
 * every pod whose logs lie elsewhere the home has a link, made before the folder and removed after it.
 *
 * @param own the home's folder of logs
 * @param shared where new pods' logs go; the same where nobody wished for another
 */
public record LogFolders(Path own, Path shared) {
    private static final int LONGEST_NAME = 255;
    private static final String SUFFIX = ".log";

    /** Those of a node that nobody runs, for what it has left. */
    public static LogFolders ofHome(Path home) {
        Path own = home.resolve("logs");
        return new LogFolders(own, own);
    }

    private Path index() {
        return own.resolve("pods");
    }

    /** Where the logs of the pod are, or would be; they stay where they were begun. */
    public Path of(Pod pod) {
        String name = PodFacts.namespace(pod) + "_" + PodFacts.name(pod) + "_" + PodFacts.uid(pod);
        Path entry = index().resolve(name);
        return Files.exists(entry, LinkOption.NOFOLLOW_LINKS)
                ? folder(entry)
                : shared.resolve("pods").resolve(name);
    }

    /** Makes the folder for the pod's logs, if it is not there. */
    public Path make(Pod pod) throws IOException {
        Path folder = of(pod);
        Path entry = index().resolve(folder.getFileName());
        Files.createDirectories(entry.getParent());
        if (!folder.equals(entry) && !Files.isSymbolicLink(entry)) {
            Files.createSymbolicLink(entry, folder);
        }
        if (!Files.isDirectory(folder.getParent())) {
            Files.createDirectories(
                    folder.getParent(),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-x---")));
        }
        Files.createDirectories(folder);
        return folder;
    }

    private static Path folder(Path entry) {
        try {
            return Files.isSymbolicLink(entry) ? Files.readSymbolicLink(entry) : entry;
        } catch (IOException gone) {
            return entry;
        }
    }

    /** The uids of all pods that have logs of this node. */
    public Set<String> uids() throws IOException {
        Set<String> uids = new HashSet<>();
        for (Path entry : list(index())) {
            String name = entry.getFileName().toString();
            uids.add(name.substring(name.lastIndexOf('_') + 1));
        }
        return uids;
    }

    /** Removes all logs of a pod. */
    public void remove(String uid) throws IOException {
        for (Path entry : list(index())) {
            if (entry.getFileName().toString().endsWith("_" + uid)) {
                unlinkAll(entry);
                Trees.delete(folder(entry));
                Files.deleteIfExists(entry);
            }
        }
    }

    /** No container of the pod is there any more, though the pod is: what lies outside of the home goes. */
    public void leave(String uid) throws IOException {
        for (Path entry : list(index())) {
            if (entry.getFileName().toString().endsWith("_" + uid)) {
                leave(entry);
            }
        }
    }

    /** The same for all pods of the node. */
    public void leaveAll() throws IOException {
        for (Path entry : list(index())) {
            leave(entry);
        }
    }

    private static void leave(Path entry) throws IOException {
        unlinkAll(entry);
        if (Files.isSymbolicLink(entry)) {
            Trees.delete(folder(entry));
            Files.deleteIfExists(entry);
        }
    }

    /** Shows the log of a container that has begun under the container's name; may be told again. */
    public void link(ContainerStatus container) throws IOException {
        Path log = container.logPath();
        Path link = linkTo(container);
        if (Files.exists(link, LinkOption.NOFOLLOW_LINKS) || !Files.exists(log)) {
            return;
        }
        Files.createDirectories(link.getParent());
        try {
            Files.createSymbolicLink(link, log);
        } catch (FileAlreadyExistsException e) {
            return; // somebody was faster
        }
    }

    /** The container goes, and its log with it. */
    public void unlink(ContainerStatus container) throws IOException {
        Files.deleteIfExists(linkTo(container));
    }

    /** A file name has at most 255 bytes; what is too long is cut where the id is. */
    private static Path linkTo(ContainerStatus container) {
        String name = container.pod().name() + "_" + container.pod().namespace() + "_" + container.name() + "-"
                + container.id();
        String cut = name.substring(0, Math.min(name.length(), LONGEST_NAME - SUFFIX.length()));
        Path pod = container.logPath().getParent().getParent();
        return containers(pod).resolve(cut + SUFFIX);
    }

    private static Path containers(Path podFolder) {
        return podFolder.getParent().resolveSibling("containers");
    }

    private static void unlinkAll(Path entry) throws IOException {
        Path folder = folder(entry);
        String[] parts = entry.getFileName().toString().split("_", 3);
        String prefix = parts.length < 3 ? "" : parts[1] + "_" + parts[0] + "_";
        for (Path link : list(containers(folder))) {
            if (link.getFileName().toString().startsWith(prefix)
                    && Files.isSymbolicLink(link)
                    && Files.readSymbolicLink(link).startsWith(folder)) {
                Files.deleteIfExists(link);
            }
        }
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.toList();
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }
}
