package io.argosy.node.agent.admission;

import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.pod.PodView;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.Sysctl;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Which settings of the kernel a pod may change: the safe ones, and those that the node's owner lets through. */
public final class SysctlRule {
    private static final Set<String> SAFE = Set.of(
            "kernel.shm_rmid_forced",
            "net.ipv4.ip_local_port_range",
            "net.ipv4.ip_local_reserved_ports",
            "net.ipv4.ip_unprivileged_port_start",
            "net.ipv4.ping_group_range",
            "net.ipv4.tcp_fin_timeout",
            "net.ipv4.tcp_keepalive_intvl",
            "net.ipv4.tcp_keepalive_probes",
            "net.ipv4.tcp_keepalive_time",
            "net.ipv4.tcp_rmem",
            "net.ipv4.tcp_syncookies",
            "net.ipv4.tcp_wmem");
    private static final List<String> OF_IPC = List.of("kernel.shm", "kernel.msg", "kernel.sem", "fs.mqueue.");
    private static final String OF_NETWORK = "net.";

    private SysctlRule() {}

    /** Refuses names, or beginnings of names with a star, of settings that a pod cannot have to itself. */
    public static void check(List<String> patterns) {
        for (String pattern : patterns) {
            String name = dotted(pattern.endsWith("*") ? pattern.substring(0, pattern.length() - 1) : pattern);
            if (!ofNetwork(name) && !ofIpc(name)) {
                throw new IllegalArgumentException("the sysctls \"" + pattern + "\" are not known to be namespaced");
            }
        }
    }

    static Optional<PodView.Ending> refusal(Pod pod, List<String> unsafe) {
        PodSecurityContext context = pod.getSpec().getSecurityContext();
        return context == null
                ? Optional.empty()
                : context.getSysctls().stream()
                        .map(Sysctl::getName)
                        .flatMap(name -> complaint(dotted(name), pod, unsafe).stream())
                        .map(complaint -> new PodView.Ending("SysctlForbidden", "forbidden sysctl: " + complaint))
                        .findFirst();
    }

    private static Optional<String> complaint(String name, Pod pod, List<String> unsafe) {
        if (!SAFE.contains(name) && unsafe.stream().noneMatch(pattern -> matches(dotted(pattern), name))) {
            return Optional.of("\"" + name + "\" not allowlisted");
        }
        if (ofNetwork(name) && PodFacts.hostNetwork(pod)) {
            return Optional.of("\"" + name + "\" not allowed with host net enabled");
        }
        return ofIpc(name) && Boolean.TRUE.equals(pod.getSpec().getHostIPC())
                ? Optional.of("\"" + name + "\" not allowed with host ipc enabled")
                : Optional.empty();
    }

    private static boolean matches(String pattern, String name) {
        return pattern.endsWith("*")
                ? name.startsWith(pattern.substring(0, pattern.length() - 1))
                : name.equals(pattern);
    }

    private static boolean ofNetwork(String name) {
        return name.startsWith(OF_NETWORK);
    }

    private static boolean ofIpc(String name) {
        return OF_IPC.stream().anyMatch(name::startsWith);
    }

    private static String dotted(String name) {
        return name.replace('/', '.');
    }
}
