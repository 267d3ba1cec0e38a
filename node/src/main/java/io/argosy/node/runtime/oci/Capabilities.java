package io.argosy.node.runtime.oci;

import io.argosy.node.runtime.RuntimeFailure;
import io.argosy.node.runtime.SecurityContext;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Linux capabilities: all of them in the kernel's order, those a container has by default, and what a spec makes of that. */
final class Capabilities {
    /** By bit number. */
    static final List<String> ALL = List.of(
            "CAP_CHOWN",
            "CAP_DAC_OVERRIDE",
            "CAP_DAC_READ_SEARCH",
            "CAP_FOWNER",
            "CAP_FSETID",
            "CAP_KILL",
            "CAP_SETGID",
            "CAP_SETUID",
            "CAP_SETPCAP",
            "CAP_LINUX_IMMUTABLE",
            "CAP_NET_BIND_SERVICE",
            "CAP_NET_BROADCAST",
            "CAP_NET_ADMIN",
            "CAP_NET_RAW",
            "CAP_IPC_LOCK",
            "CAP_IPC_OWNER",
            "CAP_SYS_MODULE",
            "CAP_SYS_RAWIO",
            "CAP_SYS_CHROOT",
            "CAP_SYS_PTRACE",
            "CAP_SYS_PACCT",
            "CAP_SYS_ADMIN",
            "CAP_SYS_BOOT",
            "CAP_SYS_NICE",
            "CAP_SYS_RESOURCE",
            "CAP_SYS_TIME",
            "CAP_SYS_TTY_CONFIG",
            "CAP_MKNOD",
            "CAP_LEASE",
            "CAP_AUDIT_WRITE",
            "CAP_AUDIT_CONTROL",
            "CAP_SETFCAP",
            "CAP_MAC_OVERRIDE",
            "CAP_MAC_ADMIN",
            "CAP_SYSLOG",
            "CAP_WAKE_ALARM",
            "CAP_BLOCK_SUSPEND",
            "CAP_AUDIT_READ",
            "CAP_PERFMON",
            "CAP_BPF",
            "CAP_CHECKPOINT_RESTORE");

    /** What containerd and docker give too. */
    static final Set<String> DEFAULT = Set.of(
            "CAP_CHOWN",
            "CAP_DAC_OVERRIDE",
            "CAP_FSETID",
            "CAP_FOWNER",
            "CAP_MKNOD",
            "CAP_NET_RAW",
            "CAP_SETGID",
            "CAP_SETUID",
            "CAP_SETFCAP",
            "CAP_SETPCAP",
            "CAP_NET_BIND_SERVICE",
            "CAP_SYS_CHROOT",
            "CAP_KILL",
            "CAP_AUDIT_WRITE");

    private Capabilities() {}

    /** In the kernel's order; ALL is done before the single names, so that "drop ALL, add X" leaves X. */
    static Set<String> of(SecurityContext security) {
        if (security.privileged()) {
            return new LinkedHashSet<>(ALL);
        }
        Set<String> set = new LinkedHashSet<>(DEFAULT);
        List<String> add =
                security.addCapabilities().stream().map(Capabilities::canonical).toList();
        List<String> drop = security.dropCapabilities().stream()
                .map(Capabilities::canonical)
                .toList();
        if (add.contains("CAP_ALL")) {
            set.addAll(ALL);
        }
        if (drop.contains("CAP_ALL")) {
            set.clear();
        }
        add.stream().filter(name -> !name.equals("CAP_ALL")).forEach(set::add);
        drop.forEach(set::remove);
        Set<String> ordered = new LinkedHashSet<>(ALL);
        ordered.retainAll(set);
        return ordered;
    }

    private static String canonical(String name) {
        String upper = name.toUpperCase(Locale.ROOT);
        String full = upper.startsWith("CAP_") ? upper : "CAP_" + upper;
        if (!full.equals("CAP_ALL") && !ALL.contains(full)) {
            throw new RuntimeFailure(RuntimeFailure.Kind.INVALID, "unknown capability \"" + full + "\"");
        }
        return full;
    }
}
