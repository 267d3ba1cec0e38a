package io.argosy.node.runtime.oci;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What the runtime of a host has on record of its pods, to hold against what is there: whatever no record speaks of, nobody would ever
 * remove.
 *
 * @param groups the control groups of pods, and those around them
 */
record Records(Set<String> sandboxes, Set<String> containers, Set<String> groups, Path pods) {

    static Records of(BusyboxHost host) throws IOException {
        Set<String> groups = new HashSet<>();
        Set<String> sandboxes = names(host.config.sandboxes());
        for (String sandbox : sandboxes) {
            Path record = host.config.sandboxes().resolve(sandbox).resolve("record.json");
            try {
                String group = Json.read(record).path("cgroup").asText();
                for (Path part = Path.of(group); part != null; part = part.getParent()) {
                    groups.add(part.toString());
                }
            } catch (NoSuchFileException unrecorded) {
                continue; // its folder is what the next start finds
            }
        }
        return new Records(sandboxes, names(host.config.containers()), groups, host.root.resolve("node/pods"));
    }

    /** Those of the traces that no record speaks of. */
    List<String> unrecorded(List<String> traces) throws IOException {
        List<String> unrecorded = new ArrayList<>();
        int interfaces = 0;
        for (String trace : traces) {
            boolean known = switch (trace.substring(0, trace.indexOf(' '))) {
                case "mount", "process" -> named(trace) || trace.contains(pods.toString());
                case "file" -> named(trace);
                case "address" -> named(Files.readString(Path.of(trace.substring("address ".length()))));
                case "cgroup" -> groups.stream().anyMatch(trace::endsWith) || shared(trace);
                default -> ++interfaces <= sandboxes.size();
            };
            if (!known) {
                unrecorded.add(trace);
            }
        }
        return unrecorded;
    }

    private boolean named(String trace) {
        return Stream.concat(sandboxes.stream(), containers.stream()).anyMatch(trace::contains);
    }

    /** The group that all pods of a class of service have in common. */
    private static boolean shared(String trace) {
        return trace.endsWith("/besteffort");
    }

    private static Set<String> names(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return Set.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return new HashSet<>(
                    files.map(file -> file.getFileName().toString()).toList());
        }
    }
}
