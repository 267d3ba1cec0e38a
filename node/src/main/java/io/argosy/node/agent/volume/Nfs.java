package io.argosy.node.agent.volume;

import io.fabric8.kubernetes.api.model.NFSVolumeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Folders of other machines, mounted by the system's own mount command. */
final class Nfs {
    private Nfs() {}

    /** Mounts the folder at the path, unless it is there already. */
    static Path mount(NFSVolumeSource source, List<String> options, Path path) throws IOException {
        Files.createDirectories(path);
        if (Mounts.mounted(path)) {
            return path;
        }
        List<String> all = new ArrayList<>();
        all.add(Boolean.TRUE.equals(source.getReadOnly()) ? "ro" : "rw");
        if (options != null) {
            all.addAll(options);
        }
        String from = source.getServer() + ":" + source.getPath();
        try {
            Mounts.run("mount", "-t", "nfs", "-o", String.join(",", all), from, path.toString());
        } catch (IOException e) {
            throw new VolumeException(
                    "mount failed: " + e.getMessage() + "\nMounting command: mount\nMounting arguments: -t nfs -o "
                            + String.join(",", all) + " " + from + " " + path,
                    e);
        }
        return path;
    }
}
