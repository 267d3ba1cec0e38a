package io.argosy.node.runtime.oci;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Settings of cgroup v2 by the names of their files; runc refuses a container for one whose controller the kernel has not. */
final class UnifiedSettings {
    private UnifiedSettings() {}

    static Map<String, String> possible(Map<String, String> wanted) {
        try {
            String controllers = Files.readString(Path.of("/sys/fs/cgroup/cgroup.controllers"));
            return possible(wanted, Set.of(controllers.strip().split(" ")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Map<String, String> possible(Map<String, String> wanted, Set<String> controllers) {
        Map<String, String> possible = new TreeMap<>(wanted);
        possible.keySet().removeIf(file -> !controllers.contains(file.substring(0, file.indexOf('.'))));
        return possible;
    }
}
