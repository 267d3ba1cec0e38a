package io.argosy.server.podsecurity;

import static io.argosy.server.podsecurity.Violation.named;
import static io.argosy.server.podsecurity.Violation.plural;
import static io.argosy.server.podsecurity.Violation.quoted;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The rules against what is known to lead out of a container. */
final class Baseline {
    private static final Set<String> CAPABILITIES = Set.of(
            "AUDIT_WRITE",
            "CHOWN",
            "DAC_OVERRIDE",
            "FOWNER",
            "FSETID",
            "KILL",
            "MKNOD",
            "NET_BIND_SERVICE",
            "SETFCAP",
            "SETGID",
            "SETPCAP",
            "SETUID",
            "SYS_CHROOT");
    /** The sysctls that concern nobody but the pod, and the minor version since which they count as such. */
    private static final Map<String, Integer> SYSCTLS = Map.ofEntries(
            Map.entry("kernel.shm_rmid_forced", 0),
            Map.entry("net.ipv4.ip_local_port_range", 0),
            Map.entry("net.ipv4.tcp_syncookies", 0),
            Map.entry("net.ipv4.ping_group_range", 0),
            Map.entry("net.ipv4.ip_unprivileged_port_start", 0),
            Map.entry("net.ipv4.ip_local_reserved_ports", 27),
            Map.entry("net.ipv4.tcp_keepalive_time", 29),
            Map.entry("net.ipv4.tcp_fin_timeout", 29),
            Map.entry("net.ipv4.tcp_keepalive_intvl", 29),
            Map.entry("net.ipv4.tcp_keepalive_probes", 29),
            Map.entry("net.ipv4.tcp_rmem", 32),
            Map.entry("net.ipv4.tcp_wmem", 32));

    private static final Map<String, Integer> SELINUX_TYPES =
            Map.of("", 0, "container_t", 0, "container_init_t", 0, "container_kvm_t", 0, "container_engine_t", 31);
    private static final String APPARMOR = "container.apparmor.security.beta.kubernetes.io/";
    private static final String SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod";
    private static final String SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/";

    private Baseline() {}

    static Optional<Violation> appArmor(PodView pod, int minor) {
        PodView.Setters setters = pod.setting(
                "/appArmorProfile/type",
                type -> type.isTextual()
                        && !Set.of("RuntimeDefault", "Localhost").contains(type.asText()));
        List<String> who = new ArrayList<>(setters.who());
        List<String> values = new ArrayList<>(setters.values());
        Set<String> annotations = annotations(pod, APPARMOR, "runtime/default", "localhost/");
        if (!annotations.isEmpty()) {
            who.add(plural("annotation", annotations.size()));
            values.addAll(annotations);
        }
        return who.isEmpty()
                ? Optional.empty()
                : Optional.of(new Violation(
                        plural("forbidden AppArmor profile", values.size()),
                        String.join(" and ", who) + " must not set AppArmor profile type to " + quoted(values)));
    }

    private static Set<String> annotations(PodView pod, String prefix, String usual, String ownPrefix) {
        Set<String> found = new TreeSet<>();
        pod.metadata().path("annotations").properties().forEach(annotation -> {
            String value = annotation.getValue().asText();
            if (annotation.getKey().startsWith(prefix)
                    && !value.isEmpty()
                    && !value.equals(usual)
                    && !value.startsWith(ownPrefix)) {
                found.add(annotation.getKey() + "=\"" + value + "\"");
            }
        });
        return found;
    }

    static Optional<Violation> capabilities(PodView pod, int minor) {
        Set<String> added = new TreeSet<>();
        List<String> names = pod.containersWhose(security -> adds(security, CAPABILITIES, added));
        return names.isEmpty()
                ? Optional.empty()
                : Optional.of(new Violation(
                        "non-default capabilities",
                        named("container", names) + " must not include " + quoted(added)
                                + " in securityContext.capabilities.add"));
    }

    /** Whether a capability is added that is not among the allowed ones; those are collected. */
    static boolean adds(JsonNode security, Set<String> allowed, Set<String> others) {
        boolean any = false;
        for (JsonNode capability : security.path("capabilities").path("add")) {
            if (!allowed.contains(capability.asText())) {
                others.add(capability.asText());
                any = true;
            }
        }
        return any;
    }

    static Optional<Violation> hostNamespaces(PodView pod, int minor) {
        List<String> shared = List.of("hostNetwork", "hostPID", "hostIPC").stream()
                .filter(field -> pod.spec().path(field).asBoolean())
                .map(field -> field + "=true")
                .toList();
        return shared.isEmpty()
                ? Optional.empty()
                : Optional.of(new Violation("host namespaces", String.join(", ", shared)));
    }

    static Optional<Violation> hostPathVolumes(PodView pod, int minor) {
        List<String> names = new ArrayList<>();
        for (JsonNode volume : pod.spec().path("volumes")) {
            if (volume.has("hostPath")) {
                names.add(volume.path("name").asText());
            }
        }
        return names.isEmpty()
                ? Optional.empty()
                : Optional.of(new Violation("hostPath volumes", named("volume", names)));
    }

    static Optional<Violation> hostPorts(PodView pod, int minor) {
        Set<String> ports = new TreeSet<>();
        List<String> names = new ArrayList<>();
        for (JsonNode container : pod.containers()) {
            boolean any = false;
            for (JsonNode port : container.path("ports")) {
                if (port.path("hostPort").asInt() != 0) {
                    ports.add(port.path("hostPort").asText());
                    any = true;
                }
            }
            if (any) {
                names.add(container.path("name").asText());
            }
        }
        return names.isEmpty()
                ? Optional.empty()
                : Optional.of(new Violation(
                        "hostPort",
                        named("container", names) + (names.size() == 1 ? " uses " : " use ")
                                + plural("hostPort", ports.size()) + " " + String.join(", ", ports)));
    }

    static Optional<Violation> probeHosts(PodView pod, int minor) {
        Set<String> hosts = new TreeSet<>();
        Set<String> names = new TreeSet<>();
        for (JsonNode container : pod.containers()) {
            for (String handler : List.of(
                    "/livenessProbe",
                    "/readinessProbe",
                    "/startupProbe",
                    "/lifecycle/postStart",
                    "/lifecycle/preStop")) {
                for (String how : List.of("/httpGet/host", "/tcpSocket/host")) {
                    String host = container.at(handler + how).asText();
                    if (!host.isEmpty()) {
                        hosts.add(host);
                        names.add(container.path("name").asText());
                    }
                }
            }
        }
        return names.isEmpty()
                ? Optional.empty()
                : Optional.of(new Violation(
                        "probe or lifecycle host",
                        named("container", names)
                                + (names.size() == 1 ? " uses " : " use ")
                                + named("probe or lifecycle host", hosts)));
    }

    static Optional<Violation> privileged(PodView pod, int minor) {
        List<String> names =
                pod.containersWhose(security -> security.path("privileged").asBoolean());
        return names.isEmpty()
                ? Optional.empty()
                : Optional.of(new Violation(
                        "privileged", named("container", names) + " must not set securityContext.privileged=true"));
    }

    /** Since 1.35 a pod with users of its own may see all of /proc. */
    static Optional<Violation> procMount(PodView pod, int minor) {
        return minor >= 35 && pod.hasOwnUsers() ? Optional.empty() : anyProcMount(pod);
    }

    static Optional<Violation> anyProcMount(PodView pod) {
        Set<String> types = new TreeSet<>();
        List<String> names = pod.containersWhose(security -> {
            String type = security.path("procMount").asText("Default");
            if (type.equals("Default")) {
                return false;
            }
            types.add(type);
            return true;
        });
        return names.isEmpty()
                ? Optional.empty()
                : Optional.of(new Violation(
                        "procMount",
                        named("container", names) + " must not set securityContext.procMount to " + quoted(types)));
    }

    static Optional<Violation> seccomp(PodView pod, int minor) {
        if (minor < 19) {
            Set<String> annotations = annotations(pod, SECCOMP_CONTAINER, "runtime/default", "localhost/");
            annotations.addAll(annotations(pod, SECCOMP_POD, "runtime/default", "localhost/"));
            return annotations.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new Violation(
                            "seccompProfile",
                            "forbidden " + plural("annotation", annotations.size()) + " "
                                    + String.join(", ", annotations)));
        }
        return badSeccomp(pod);
    }

    static Optional<Violation> badSeccomp(PodView pod) {
        PodView.Setters setters = pod.setting(
                "/seccompProfile/type",
                type -> type.isTextual()
                        && !Set.of("RuntimeDefault", "Localhost").contains(type.asText()));
        return setters.none()
                ? Optional.empty()
                : Optional.of(new Violation(
                        "seccompProfile",
                        setters.joined() + " must not set securityContext.seccompProfile.type to "
                                + quoted(setters.values())));
    }

    static Optional<Violation> seLinux(PodView pod, int minor) {
        Set<String> types = new TreeSet<>();
        Set<String> set = new TreeSet<>();
        PodView.Setters setters = pod.setting("/seLinuxOptions", options -> {
            String type = options.path("type").asText();
            boolean badType = SELINUX_TYPES.getOrDefault(type, Level.NEVER) > minor;
            if (badType) {
                types.add(type);
            }
            List.of("user", "role").stream()
                    .filter(field -> !options.path(field).asText().isEmpty())
                    .forEach(set::add);
            return badType
                    || !options.path("user").asText().isEmpty()
                    || !options.path("role").asText().isEmpty();
        });
        if (setters.none()) {
            return Optional.empty();
        }
        List<String> data = new ArrayList<>();
        if (!types.isEmpty()) {
            data.add(named("type", types));
        }
        List.of("user", "role").stream().filter(set::contains).forEach(field -> data.add(field + " may not be set"));
        return Optional.of(new Violation(
                "seLinuxOptions",
                setters.joined() + " set forbidden securityContext.seLinuxOptions: " + String.join("; ", data)));
    }

    static Optional<Violation> sysctls(PodView pod, int minor) {
        List<String> forbidden = new ArrayList<>();
        for (JsonNode sysctl : pod.security().path("sysctls")) {
            String name = sysctl.path("name").asText();
            if (SYSCTLS.getOrDefault(name, Level.NEVER) > minor) {
                forbidden.add(name);
            }
        }
        return forbidden.isEmpty()
                ? Optional.empty()
                : Optional.of(new Violation("forbidden sysctls", String.join(", ", forbidden)));
    }

    static Optional<Violation> hostProcess(PodView pod, int minor) {
        PodView.Setters setters = pod.setting("/windowsOptions/hostProcess", JsonNode::asBoolean);
        return setters.none()
                ? Optional.empty()
                : Optional.of(new Violation(
                        "hostProcess",
                        setters.joined() + " must not set securityContext.windowsOptions.hostProcess=true"));
    }
}
