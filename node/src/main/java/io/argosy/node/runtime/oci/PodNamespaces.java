package io.argosy.node.runtime.oci;

import io.argosy.node.files.MountCalls;
import io.argosy.node.runtime.IdRange;
import io.argosy.node.runtime.SandboxSpec.Namespaces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * A pod's network, IPC, UTS and perhaps user namespaces, held by bind mounts instead of by a process.
 *
 * <p>A namespace lives as long as something refers to it, and a mount of its file does: no pause process, no memory,
 * nothing that can be killed, and it outlives Argosy. The namespaces are made by a thread of ours that steps into them,
 * pins them, sets them up and ends; those that belong to a user namespace are made by a {@link UserNamespace} first.
 */
final class PodNamespaces {
    /** What containerd gives pods too, so that unprivileged processes may listen on port 80 and ping. */
    private static final Map<String, String> NETWORK_DEFAULTS =
            Map.of("net.ipv4.ip_unprivileged_port_start", "0", "net.ipv4.ping_group_range", "0 2147483647");
    /** A group that the user namespace does not map can not be named there. */
    private static final Map<String, String> MAPPED_NETWORK_DEFAULTS =
            Map.of("net.ipv4.ip_unprivileged_port_start", "0");

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

    Path user() {
        return folder.resolve("user");
    }

    /** Makes and pins the namespaces; a pod in the host's network also has the host's name. */
    void create(Namespaces wanted, String hostname, Map<String, String> sysctls) throws IOException {
        Files.createDirectories(folder);
        Map<String, String> settings = new LinkedHashMap<>();
        if (!wanted.hostNetwork()) {
            settings.putAll(wanted.users().isPresent() ? MAPPED_NETWORK_DEFAULTS : NETWORK_DEFAULTS);
        }
        settings.putAll(sysctls);
        if (wanted.users().isPresent()) {
            createMapped(wanted.users().get(), hostname, settings);
        } else {
            createPlain(!wanted.hostNetwork(), !wanted.hostIpc(), hostname, settings);
        }
    }

    private void createPlain(boolean withNetwork, boolean withIpc, String hostname, Map<String, String> settings)
            throws IOException {
        OwnThread.run(() -> {
            Linux.unshare(
                    (withNetwork ? Linux.CLONE_NEWNET | Linux.CLONE_NEWUTS : 0) | (withIpc ? Linux.CLONE_NEWIPC : 0));
            Path own = Path.of("/proc/thread-self/ns");
            if (withNetwork) {
                pin(own.resolve("net"), network());
                pin(own.resolve("uts"), uts());
                Linux.setHostname(hostname);
                Linux.loopbackUp();
            }
            if (withIpc) {
                pin(own.resolve("ipc"), ipc());
            }
            write(settings);
            return null;
        });
    }

    /** A pod with users of its own has all namespaces of its own; the API allows nothing else. */
    private void createMapped(IdRange users, String hostname, Map<String, String> settings) throws IOException {
        try (UserNamespace made = UserNamespace.open(users)) {
            pin(made.file("user"), user());
            pin(made.file("net"), network());
            pin(made.file("uts"), uts());
            pin(made.file("ipc"), ipc());
        }
        OwnThread.run(() -> {
            Linux.enter(network(), Linux.CLONE_NEWNET);
            Linux.enter(uts(), Linux.CLONE_NEWUTS);
            Linux.enter(ipc(), Linux.CLONE_NEWIPC);
            Linux.setHostname(hostname);
            Linux.loopbackUp();
            Map<String, String> ofIpc = new LinkedHashMap<>(settings);
            ofIpc.keySet().removeIf(name -> name.startsWith("net."));
            settings.keySet().removeAll(ofIpc.keySet());
            write(settings);
            Linux.actAs(users.first()); // of these only their namespace's root may write
            write(ofIpc);
            return null;
        });
    }

    private static void pin(Path namespace, Path file) throws IOException {
        Files.createFile(file);
        MountCalls.mount(namespace.toString(), file, "none", MountCalls.BIND, "");
    }

    private static void write(Map<String, String> settings) throws IOException {
        for (Map.Entry<String, String> setting : settings.entrySet()) {
            Files.writeString(sysctlFile(setting.getKey()), setting.getValue());
        }
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
        for (Path file : new Path[] {network(), ipc(), uts(), user()}) {
            MountCalls.unmountIfMounted(file);
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
