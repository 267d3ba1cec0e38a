package io.argosy.node.runtime.oci;

import io.argosy.node.files.MountCalls;
import io.argosy.node.files.SystemCall;
import io.argosy.node.files.Trees;
import io.argosy.node.runtime.IdRange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A container's root: the image's layers with a writable one on top, joined by overlayfs. In a user namespace the layers
 * are shown with mapped ids, and the root lies where the namespace's users can go: they may not even enter our home.
 */
final class RootFilesystem {
    /** The kernel takes one page of options. */
    private static final int MOST_OPTIONS = 4000;

    private static final Path REACHABLE = Path.of("/run/argosy/roots");

    private final Path folder;
    private final Optional<Users> users;

    /** A user namespace and what its users are on the host. */
    record Users(IdRange ids, Path namespace) {
        /** Of a sandbox that has users of its own. */
        static Optional<Users> of(SandboxRecord sandbox, Path sandboxFolder) {
            Path namespace = new PodNamespaces(sandboxFolder).user();
            return sandbox.namespaces().users().map(ids -> new Users(ids, namespace));
        }
    }

    RootFilesystem(Path containerFolder, Optional<Users> users) {
        this.folder = containerFolder;
        this.users = users;
    }

    Path path() {
        return users.isPresent() ? reachable(folder) : plain(folder);
    }

    private static Path plain(Path folder) {
        return folder.resolve("rootfs");
    }

    /** Where the root of the container or sandbox of this folder lies when its users are mapped. */
    static Path reachable(Path folder) {
        return REACHABLE.resolve(folder.getFileName());
    }

    static Path writableLayer(Path folder) {
        return folder.resolve("upper");
    }

    void mount(List<Path> layersLowestFirst) throws IOException {
        Files.createDirectories(path());
        Path upper = Files.createDirectories(writableLayer(folder));
        Files.createDirectories(folder.resolve("work"));
        if (users.isPresent()) {
            own(upper, users.get().ids());
            try (MappedMounts mapped =
                    new MappedMounts(folder.resolve("layers"), users.get().namespace())) {
                List<Path> layers = new ArrayList<>();
                for (Path layer : layersLowestFirst) {
                    layers.add(mapped.of(layer));
                }
                overlay(layers);
            }
        } else {
            overlay(layersLowestFirst);
        }
    }

    /** Gives a file to the root of a user namespace. */
    static void own(Path file, IdRange ids) throws IOException {
        Files.setAttribute(file, "unix:uid", (int) ids.first());
        Files.setAttribute(file, "unix:gid", (int) ids.first());
    }

    private void overlay(List<Path> layersLowestFirst) throws IOException {
        List<Integer> anchors = new ArrayList<>();
        try {
            List<String> layers = new ArrayList<>();
            layersLowestFirst.reversed().forEach(layer -> layers.add(escape(layer.toString())));
            if (options(layers).length() > MOST_OPTIONS) {
                layers.clear();
                for (Path layer : layersLowestFirst.reversed()) {
                    int anchor = Linux.openPath(layer);
                    anchors.add(anchor);
                    layers.add("/proc/self/fd/" + anchor);
                }
            }
            try {
                // The writable layer never outlives its container, so there is nothing in it worth syncing.
                MountCalls.mount("overlay", path(), "overlay", 0, options(layers) + ",volatile");
            } catch (SystemCall.Failed e) {
                if (e.number() != SystemCall.EINVAL) {
                    throw e;
                }
                MountCalls.mount("overlay", path(), "overlay", 0, options(layers));
            }
        } finally {
            for (int anchor : anchors) {
                Linux.close(anchor);
            }
        }
    }

    /** Unmounts whatever was mounted for the container or sandbox of this folder. */
    static void remove(Path folder) throws IOException {
        MountCalls.unmountIfMounted(plain(folder));
        MountCalls.unmountIfMounted(reachable(folder));
        Trees.delete(reachable(folder));
        MappedMounts.remove(folder.resolve("layers"));
        MappedMounts.remove(folder.resolve("mounts"));
    }

    private String options(List<String> layers) {
        return "lowerdir=" + String.join(":", layers) + ",upperdir="
                + escape(writableLayer(folder).toString()) + ",workdir="
                + escape(folder.resolve("work").toString());
    }

    private static String escape(String path) {
        return path.replace("\\", "\\\\").replace(":", "\\:").replace(",", "\\,");
    }
}
