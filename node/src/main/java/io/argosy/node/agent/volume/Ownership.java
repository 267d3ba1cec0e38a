package io.argosy.node.agent.volume;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/** Lets a pod's group own a volume and everything in it, and what is made in it later. */
final class Ownership {
    private static final int FOLDER = 02770;
    private static final int FILE = 0660;

    private Ownership() {}

    static OptionalLong group(Pod pod) {
        PodSecurityContext context = pod.getSpec().getSecurityContext();
        return context == null || context.getFsGroup() == null
                ? OptionalLong.empty()
                : OptionalLong.of(context.getFsGroup());
    }

    /** The user that all of the pod's containers run as, if it is said of each and the same. */
    static OptionalLong user(Pod pod) {
        PodSecurityContext context = pod.getSpec().getSecurityContext();
        Long ofPod = context == null ? null : context.getRunAsUser();
        Set<Long> users = new HashSet<>();
        Stream.concat(pod.getSpec().getInitContainers().stream(), pod.getSpec().getContainers().stream())
                .map(Container::getSecurityContext)
                .map(own -> own == null || own.getRunAsUser() == null ? ofPod : own.getRunAsUser())
                .forEach(users::add);
        return users.size() != 1 || users.contains(null)
                ? OptionalLong.empty()
                : OptionalLong.of(users.iterator().next());
    }

    /** Where the pod says so, a volume whose root is right already is taken as right all through. */
    static void give(Path root, Pod pod) throws IOException {
        OptionalLong group = group(pod);
        if (group.isEmpty()) {
            return;
        }
        int gid = Math.toIntExact(group.getAsLong());
        boolean rootDecides =
                "OnRootMismatch".equals(pod.getSpec().getSecurityContext().getFsGroupChangePolicy());
        if (!rootDecides || !isGiven(root, gid)) {
            giveAll(root, gid);
        }
    }

    private static boolean isGiven(Path root, int gid) throws IOException {
        return (int) Files.getAttribute(root, "unix:gid") == gid && (mode(root) & FOLDER) == FOLDER;
    }

    private static int mode(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    }

    /** The root comes last, so that a root that is right says that the walk was finished. */
    private static void giveAll(Path root, int gid) throws IOException {
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult postVisitDirectory(Path folder, IOException failure) throws IOException {
                if (failure != null) {
                    throw failure;
                }
                give(folder, FOLDER);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (attributes.isRegularFile()) {
                    give(file, FILE);
                }
                return FileVisitResult.CONTINUE;
            }

            private void give(Path path, int atLeast) throws IOException {
                int mode = mode(path);
                Files.setAttribute(path, "unix:gid", gid, LinkOption.NOFOLLOW_LINKS);
                Files.setAttribute(path, "unix:mode", (mode & 07777) | atLeast);
            }
        });
    }
}
