package io.argosy.node.runtime.oci;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Where one instance of the runtime lives and which names on the host are its own, so that several can run side by side.
 *
 * @param root everything the instance keeps: state, writable layers, pinned namespaces
 * @param instance short name; lower-case letters, digits and dashes
 * @param bridge the pods' bridge, at most 15 characters
 * @param podCidr where pod addresses come from: a range, or one of each family with a comma between
 * @param cgroupParent the control group above all pods' groups
 * @param masquerade whether pods reach the world under the host's address
 */
public record OciConfig(
        Path root,
        String instance,
        String bridge,
        String podCidr,
        String cgroupParent,
        boolean masquerade,
        Path runc,
        Path conmon,
        Path cniPlugins) {

    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?");
    private static final List<Path> CNI_FOLDERS =
            List.of(Path.of("/opt/cni/bin"), Path.of("/usr/lib/cni"), Path.of("/usr/libexec/cni"));

    public OciConfig {
        root = root.toAbsolutePath().normalize();
        if (!NAME.matcher(instance).matches()) {
            throw new IllegalArgumentException("not an instance name: " + instance);
        }
        if (bridge.isEmpty() || bridge.length() > 15) {
            throw new IllegalArgumentException("a bridge name has 1 to 15 characters: " + bridge);
        }
    }

    /** The usual names for an instance, with the programs where this host has them. */
    public static OciConfig of(Path root, String instance, String podCidr) {
        return new OciConfig(
                root,
                instance,
                bridgeName(instance),
                podCidr,
                "/argosy/" + instance,
                true,
                program("runc"),
                program("conmon"),
                CNI_FOLDERS.stream()
                        .filter(folder -> Files.isExecutable(folder.resolve("bridge")))
                        .findFirst()
                        .orElse(CNI_FOLDERS.getFirst()));
    }

    public OciConfig withCniPlugins(Path folder) {
        return new OciConfig(root, instance, bridge, podCidr, cgroupParent, masquerade, runc, conmon, folder);
    }

    public OciConfig withBridge(String name) {
        return new OciConfig(root, instance, name, podCidr, cgroupParent, masquerade, runc, conmon, cniPlugins);
    }

    public OciConfig withMasquerade(boolean on) {
        return new OciConfig(root, instance, bridge, podCidr, cgroupParent, on, runc, conmon, cniPlugins);
    }

    public OciConfig withPrograms(Path runcProgram, Path conmonProgram) {
        return new OciConfig(
                root, instance, bridge, podCidr, cgroupParent, masquerade, runcProgram, conmonProgram, cniPlugins);
    }

    List<String> podCidrs() {
        return List.of(podCidr.split(","));
    }

    String networkName() {
        return "argosy-" + instance;
    }

    Path sandboxes() {
        return root.resolve("sandboxes");
    }

    Path containers() {
        return root.resolve("containers");
    }

    Path exits() {
        return root.resolve("exits");
    }

    /** What is worth nothing once the machine has been started anew is kept in memory: many small files, some written through to disk. */
    Path memory() {
        return root.resolve("memory");
    }

    Path runcRoot() {
        return memory().resolve("runc");
    }

    Path bundles() {
        return memory().resolve("bundles");
    }

    /** Pinned namespaces, shared memory and name files of sandboxes. */
    Path holds() {
        return memory().resolve("sandboxes");
    }

    Path addresses() {
        return root.resolve("addresses");
    }

    private static String bridgeName(String instance) {
        String plain = "agy-" + instance;
        return plain.length() <= 15 ? plain : "agy-" + Integer.toHexString(instance.hashCode());
    }

    private static Path program(String name) {
        for (String folder : List.of("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")) {
            Path candidate = Path.of(folder, name);
            if (Files.isExecutable(candidate)) {
                return candidate;
            }
        }
        return Path.of("/usr/bin", name);
    }
}
