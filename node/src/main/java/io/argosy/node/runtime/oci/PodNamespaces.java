package io.argosy.node.runtime.oci;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * A pod's network, IPC and UTS namespaces, held by bind mounts instead of by a process.
 *
 * <p>A namespace lives as long as something refers to it, and a mount of its file does: no pause process, no memory,
 * nothing that can be killed, and it outlives Argosy. The namespaces are made by a thread of ours that steps into them,
 * pins them, sets them up and ends.
 */
final class PodNamespaces {
    /** What containerd gives pods too, so that unprivileged processes may listen on port 80 and ping. */
    private static final Map<String, String> NETWORK_DEFAULTS =
            Map.of("net.ipv4.ip_unprivileged_port_start", "0", "net.ipv4.ping_group_range", "0 2147483647");

    private final Path folder;

    PodNamespaces(Path sandboxFolder) {
        this.folder = sandboxFolder.resolve("ns");
    }

    Path network() {
        return folder.resolve("net");
    }

    Path ipc() {
        return folder.resolve("ipc");
    }

    Path uts() {
        return folder.resolve("uts");
    }

    /** Makes and pins the namespaces; a pod in the host's network also has the host's name. */
    void create(boolean withNetwork, boolean withIpc, String hostname, Map<String, String> sysctls) throws IOException {
        Files.createDirectories(folder);
        Map<String, String> settings = new LinkedHashMap<>();
        if (withNetwork) {
            settings.putAll(NETWORK_DEFAULTS);
        }
        settings.putAll(sysctls);
        OwnThread.run(() -> {
            Linux.unshare(
                    (withNetwork ? Linux.CLONE_NEWNET | Linux.CLONE_NEWUTS : 0) | (withIpc ? Linux.CLONE_NEWIPC : 0));
            if (withNetwork) {
                pin("net", network());
                pin("uts", uts());
                Linux.setHostname(hostname);
                Linux.loopbackUp();
            }
            if (withIpc) {
                pin("ipc", ipc());
            }
            for (Map.Entry<String, String> setting : settings.entrySet()) {
                Files.writeString(sysctlFile(setting.getKey()), setting.getValue());
            }
            return null;
        });
    }

    private static void pin(String kind, Path file) throws IOException {
        Files.createFile(file);
        Linux.mount("/proc/thread-self/ns/" + kind, file, "none", Linux.MS_BIND, "");
    }

    private static Path sysctlFile(String name) {
        Path all = Path.of("/proc/sys");
        Path file = all.resolve(name.replace('.', '/')).normalize();
        if (!file.startsWith(all)) {
            throw new IllegalArgumentException("not a sysctl: " + name);
        }
        return file;
    }

    /** Lets go of whatever is pinned; what still runs inside keeps its namespace until it ends. */
    void remove() throws IOException {
        for (Path file : new Path[] {network(), ipc(), uts()}) {
            Linux.unmountIfMounted(file);
            Files.deleteIfExists(file);
        }
        Files.deleteIfExists(folder);
    }

    /** Runs something on a thread that stands in the pod's network, such as opening a socket there. */
    static <T> T inNetwork(Path network, Callable<T> work) throws IOException {
        return OwnThread.run(() -> {
            Linux.enter(network, Linux.CLONE_NEWNET);
            return work.call();
        });
    }
}
