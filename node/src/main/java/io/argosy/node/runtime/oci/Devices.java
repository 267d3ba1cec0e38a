package io.argosy.node.runtime.oci;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.node.runtime.ContainerSpec;
import io.argosy.node.runtime.Device;
import io.argosy.node.runtime.RuntimeFailure;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Device nodes of a container: none but runc's usual few, those it asks for, or all of the host's when privileged. */
final class Devices {
    private static final int TYPE_MASK = 0xf000;
    private static final int CHARACTER = 0x2000;
    private static final int BLOCK = 0x6000;
    private static final Set<String> NOT_FOR_CONTAINERS =
            Set.of("pts", "shm", "fd", "mqueue", "console", ".lxc", ".lxd-mounts", ".udev");

    private Devices() {}

    static void describe(ContainerSpec spec, ObjectNode linux, ObjectNode resources) throws IOException {
        ArrayNode nodes = Json.array(List.of());
        ArrayNode rules = resources.putArray("devices");
        if (spec.security().privileged()) {
            rules.addObject().put("allow", true).put("access", "rwm");
            addAll(nodes, Path.of("/dev"));
        } else {
            rules.addObject().put("allow", false).put("access", "rwm");
        }
        for (Device device : spec.devices()) {
            try {
                ObjectNode node = node(device.hostPath(), device.containerPath());
                nodes.add(node);
                ObjectNode rule = rules.addObject().put("allow", true).put("access", device.permissions());
                rule.set("type", node.get("type"));
                rule.set("major", node.get("major"));
                rule.set("minor", node.get("minor"));
            } catch (NoSuchFileException e) {
                throw new RuntimeFailure(RuntimeFailure.Kind.INVALID, "no device " + device.hostPath(), e);
            }
        }
        if (!nodes.isEmpty()) {
            linux.set("devices", nodes);
        }
    }

    private static void addAll(ArrayNode nodes, Path folder) throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
            for (Path entry : entries) {
                if (NOT_FOR_CONTAINERS.contains(entry.getFileName().toString()) || Files.isSymbolicLink(entry)) {
                    continue;
                }
                if (Files.isDirectory(entry)) {
                    addAll(nodes, entry);
                } else if (isDevice(entry)) {
                    nodes.add(node(entry, entry.toString()));
                }
            }
        }
    }

    private static boolean isDevice(Path path) throws IOException {
        try {
            int type = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & TYPE_MASK;
            return type == CHARACTER || type == BLOCK;
        } catch (NoSuchFileException _) {
            return false;
        }
    }

    private static ObjectNode node(Path host, String inside) throws IOException {
        Map<String, Object> file = Files.readAttributes(host, "unix:mode,rdev,uid,gid");
        int mode = (int) file.get("mode");
        int type = mode & TYPE_MASK;
        if (type != CHARACTER && type != BLOCK) {
            throw new RuntimeFailure(RuntimeFailure.Kind.INVALID, host + " is not a device");
        }
        long rdev = (long) file.get("rdev");
        return Json.object()
                .put("path", inside)
                .put("type", type == BLOCK ? "b" : "c")
                .put("major", (rdev >>> 8 & 0xfff) | (rdev >>> 32 & ~0xfffL))
                .put("minor", (rdev & 0xff) | (rdev >>> 12 & ~0xffL & 0xffffffffL))
                .put("fileMode", mode & 0xfff)
                .put("uid", (int) file.get("uid"))
                .put("gid", (int) file.get("gid"));
    }
}
