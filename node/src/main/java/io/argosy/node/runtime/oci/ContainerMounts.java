package io.argosy.node.runtime.oci;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.argosy.node.runtime.ContainerSpec;
import io.argosy.node.runtime.Mount;
import io.argosy.node.runtime.Mount.Propagation;
import io.argosy.node.runtime.RuntimeFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Everything mounted in a container: the kernel's file systems, the pod's shared files, then what the spec asks for. */
final class ContainerMounts {
    private static final Set<String> NEVER = Set.of("/", "/proc");

    private final ContainerSpec spec;
    private final OciSpec.Place place;
    private final boolean unifiedCgroups;
    private final Map<String, Entry> entries = new LinkedHashMap<>();

    private record Entry(String type, String source, List<String> options) {}

    ContainerMounts(ContainerSpec spec, OciSpec.Place place, boolean unifiedCgroups) {
        this.spec = spec;
        this.place = place;
        this.unifiedCgroups = unifiedCgroups;
    }

    /** Which way mounts of the host travel into the container at all, when some mount asks for it. */
    static Optional<String> rootPropagation(ContainerSpec spec) {
        if (spec.mounts().stream().anyMatch(mount -> mount.propagation() == Propagation.BIDIRECTIONAL)) {
            return Optional.of("rshared");
        }
        return spec.mounts().stream().anyMatch(mount -> mount.propagation() == Propagation.HOST_TO_CONTAINER)
                ? Optional.of("rslave")
                : Optional.empty();
    }

    ArrayNode toJson() throws IOException {
        kernelFileSystems();
        podFiles();
        imageVolumes();
        asked();
        ArrayNode json = Json.array(List.of());
        // Shorter targets first, so that a mount inside another lies on top of it.
        entries.entrySet().stream()
                .sorted(Comparator.comparingInt(entry -> Path.of(entry.getKey()).getNameCount()))
                .forEach(entry -> json.addObject()
                        .put("destination", entry.getKey())
                        .put("type", entry.getValue().type())
                        .put("source", entry.getValue().source())
                        .set("options", Json.array(entry.getValue().options())));
        return json;
    }

    private void kernelFileSystems() {
        boolean privileged = spec.security().privileged();
        String sys = privileged ? "rw" : "ro";
        put("/proc", "proc", "proc", "nosuid", "noexec", "nodev");
        put("/dev", "tmpfs", "tmpfs", "nosuid", "strictatime", "mode=755", "size=65536k");
        putInDev(
                "/dev/pts",
                "devpts",
                "devpts",
                "nosuid",
                "noexec",
                "newinstance",
                "ptmxmode=0666",
                "mode=0620",
                "gid=5");
        putInDev("/dev/mqueue", "mqueue", "mqueue", "nosuid", "noexec", "nodev");
        put("/sys", "sysfs", "sysfs", "nosuid", "noexec", "nodev", sys);
        put("/sys/fs/cgroup", "cgroup", "cgroup", "nosuid", "noexec", "nodev", "relatime", sys);
        if (unifiedCgroups && place.sandbox().namespaces().hostPid()) {
            entries.remove("/sys/fs/cgroup");
        }
    }

    private void podFiles() {
        Path folder = place.sandboxFolder();
        Path shm = place.sandbox().namespaces().hostIpc() ? Path.of("/dev/shm") : folder.resolve("shm");
        putInDev("/dev/shm", "bind", shm.toString(), "rbind", "rprivate", "rw");
        String mode = spec.security().readOnlyRootfs() ? "ro" : "rw";
        for (String name : List.of("hosts", "hostname", "resolv.conf")) {
            put("/etc/" + name, "bind", folder.resolve(name).toString(), "rbind", "rprivate", mode);
        }
        place.terminationLog()
                .ifPresent(file -> put(
                        spec.terminationMessagePath().orElseThrow(),
                        "bind",
                        file.toString(),
                        "rbind",
                        "rprivate",
                        "rw"));
    }

    /** Folders the image calls volumes stay writable when its root is not. */
    private void imageVolumes() throws IOException {
        if (!spec.security().readOnlyRootfs()) {
            return;
        }
        for (String volume : spec.image().config().volumes()) {
            Path source = RootedPath.resolve(place.rootfs(), volume);
            Files.createDirectories(source);
            put(clean(volume), "bind", source.toString(), "rbind", "rprivate", "rw");
        }
    }

    private void asked() {
        for (Mount mount : spec.mounts()) {
            String target = clean(mount.containerPath());
            if (!Files.exists(mount.hostPath())) {
                throw new RuntimeFailure(
                        RuntimeFailure.Kind.INVALID,
                        "failed to generate container spec: no such file or directory: " + mount.hostPath());
            }
            String propagation = switch (mount.propagation()) {
                case PRIVATE -> "rprivate";
                case HOST_TO_CONTAINER -> "rslave";
                case BIDIRECTIONAL -> "rshared";
            };
            String mode = !mount.readOnly() ? "rw" : mount.recursive() ? "rro" : "ro";
            String source = mount.hostPath().toString();
            if (mount.noExec()) {
                put(target, "bind", source, "rbind", propagation, mode, "noexec", "nosuid", "nodev");
            } else {
                put(target, "bind", source, "rbind", propagation, mode);
            }
        }
    }

    private static String clean(String target) {
        Path path = Path.of(target);
        if (!path.isAbsolute() || NEVER.contains(path.normalize().toString())) {
            throw new RuntimeFailure(RuntimeFailure.Kind.INVALID, "invalid mount path in container: " + target);
        }
        return path.normalize().toString();
    }

    /** Who brings a /dev of its own, the host's perhaps, has all that is to be in it. */
    private void putInDev(String target, String type, String source, String... options) {
        boolean ownDev = spec.mounts().stream()
                .anyMatch(mount -> clean(mount.containerPath()).equals("/dev"));
        if (!ownDev) {
            put(target, type, source, options);
        }
    }

    private void put(String target, String type, String source, String... options) {
        entries.put(target, new Entry(type, source, List.of(options)));
    }
}
