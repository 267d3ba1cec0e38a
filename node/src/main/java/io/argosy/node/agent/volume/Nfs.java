package io.argosy.node.agent.volume;

import io.fabric8.kubernetes.api.model.NFSVolumeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;

/** Folders of other machines, mounted by the system's own mount command. */
final class Nfs {
    private Nfs() {}

    /** Mounts the folder at the path, unless it is there already. */
    static Path mount(NFSVolumeSource source, boolean readOnly, List<String> options, Path path) throws IOException {
        if (Mounts.mounted(path)) {
            return path;
        }
        Files.createDirectories(path);
        try {
            Mounts.mount("nfs", options(source, readOnly, options), from(source), path);
        } catch (IOException e) {
            Files.deleteIfExists(path);
            throw e;
        }
        return path;
    }

    static String from(NFSVolumeSource source) {
        boolean sixth = source.getServer().contains(":");
        return (sixth ? "[" + source.getServer() + "]" : source.getServer()) + ":" + source.getPath();
    }

    /** Each option once. */
    static List<String> options(NFSVolumeSource source, boolean readOnly, List<String> options) {
        TreeSet<String> all = new TreeSet<>(options == null ? List.of() : options);
        if (readOnly || Boolean.TRUE.equals(source.getReadOnly())) {
            all.add("ro");
        }
        return List.copyOf(all);
    }
}
