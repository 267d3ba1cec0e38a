package io.argosy.node.runtime.oci;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A container's root: the image's layers with a writable one on top, joined by overlayfs. */
final class RootFilesystem {
    /** The kernel takes one page of options. */
    private static final int MOST_OPTIONS = 4000;

    private final Path folder;

    RootFilesystem(Path containerFolder) {
        this.folder = containerFolder;
    }

    Path path() {
        return folder.resolve("rootfs");
    }

    Path writableLayer() {
        return folder.resolve("upper");
    }

    void mount(List<Path> layersLowestFirst) throws IOException {
        Files.createDirectories(path());
        Files.createDirectories(writableLayer());
        Files.createDirectories(folder.resolve("work"));
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
                Linux.mount("overlay", path(), "overlay", 0, options(layers) + ",volatile");
            } catch (Linux.Errno e) {
                if (e.number() != Linux.EINVAL) {
                    throw e;
                }
                Linux.mount("overlay", path(), "overlay", 0, options(layers));
            }
        } finally {
            for (int anchor : anchors) {
                Linux.close(anchor);
            }
        }
    }

    void unmount() throws IOException {
        Linux.unmountIfMounted(path());
    }

    private String options(List<String> layers) {
        return "lowerdir=" + String.join(":", layers) + ",upperdir="
                + escape(writableLayer().toString()) + ",workdir="
                + escape(folder.resolve("work").toString());
    }

    private static String escape(String path) {
        return path.replace("\\", "\\\\").replace(":", "\\:").replace(",", "\\,");
    }
}
