package io.argosy.node.agent.volume;

import io.argosy.node.image.Image;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Shows the content of an image as a folder that nobody can write to or run programs from. */
final class ImageVolumes {
    private ImageVolumes() {}

    /**
     * Joins the layers by overlayfs, as a container's root is; what is mounted already stays as it is. The layers stand in the mount's
     * options, by which the image store knows that they are in use.
     */
    static void mount(Image image, Path path) throws IOException {
        Files.createDirectories(path);
        if (Mounts.mounted(path)) {
            return;
        }
        List<String> layers = new ArrayList<>();
        image.layers().reversed().forEach(layer -> layers.add(escape(layer)));
        for (int i = layers.size(); i < 2; i++) { // an overlay without a writable layer needs two others
            Path nothing = path.resolveSibling("." + path.getFileName() + "-" + i);
            layers.add(escape(Files.createDirectories(nothing)));
        }
        Mounts.mount(
                "overlay",
                List.of("ro", "noexec", "nosuid", "nodev", "lowerdir=" + String.join(":", layers)),
                "overlay",
                path);
    }

    private static String escape(Path path) {
        return path.toString().replace("\\", "\\\\").replace(":", "\\:");
    }
}
