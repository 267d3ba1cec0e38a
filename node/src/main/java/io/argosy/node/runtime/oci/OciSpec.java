package io.argosy.node.runtime.oci;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.node.image.ImageConfig;
import io.argosy.node.runtime.ContainerSpec;
import io.argosy.node.runtime.ContainerSpec.EnvVar;
import io.argosy.node.runtime.LinuxResources;
import io.argosy.node.runtime.RuntimeFailure;
import io.argosy.node.runtime.SecurityContext;
import io.argosy.node.runtime.oci.SandboxRecord.ProcessMark;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Writes the config.json of a container: the pod's wishes over the image's, with defaults as tight as containerd's. */
final class OciSpec {
    private static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    private static final List<String> MASKED = List.of(
            "/proc/acpi",
            "/proc/asound",
            "/proc/interrupts",
            "/proc/kcore",
            "/proc/keys",
            "/proc/latency_stats",
            "/proc/timer_list",
            "/proc/timer_stats",
            "/proc/sched_debug",
            "/proc/scsi",
            "/sys/firmware",
            "/sys/devices/virtual/powercap");
    private static final List<String> READ_ONLY =
            List.of("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger");

    private final HostLimits limits;
    private final AppArmorHost appArmor;
    private final boolean unifiedCgroups;

    OciSpec(HostLimits limits, AppArmorHost appArmor, boolean unifiedCgroups) {
        this.limits = limits;
        this.appArmor = appArmor;
        this.unifiedCgroups = unifiedCgroups;
    }

    /** The surroundings a container is made in. */
    record Place(
            SandboxRecord sandbox,
            Path sandboxFolder,
            Path rootfs,
            String cgroup,
            Optional<ProcessMark> processesOf,
            Optional<Path> terminationLog) {}

    ObjectNode of(ContainerSpec spec, Place place) throws IOException {
        SecurityContext security = spec.security();
        List<String> capabilities = limits.allowed(Capabilities.of(security));
        ObjectNode config = Json.object();
        config.put("ociVersion", "1.0.2");
        config.set("process", process(spec, place, capabilities));
        config.putObject("root").put("path", place.rootfs().toString()).put("readonly", security.readOnlyRootfs());
        config.set("mounts", new ContainerMounts(spec, place, unifiedCgroups).toJson());
        ObjectNode linux = config.putObject("linux");
        linux.set("namespaces", namespaces(place));
        linux.put("cgroupsPath", place.cgroup());
        ObjectNode resources = resources(spec.resources(), unifiedCgroups);
        linux.set("resources", resources);
        Devices.describe(spec, linux, resources);
        if (!security.privileged()) {
            linux.set("maskedPaths", Json.array(security.maskedPaths().orElse(MASKED)));
            linux.set("readonlyPaths", Json.array(security.readOnlyPaths().orElse(READ_ONLY)));
        }
        ContainerMounts.rootPropagation(spec).ifPresent(mode -> linux.put("rootfsPropagation", mode));
        Seccomp.of(security, capabilities).ifPresent(seccomp -> linux.set("seccomp", seccomp));
        config.set("annotations", Json.map(annotations(spec, place.sandbox())));
        return config;
    }

    private ObjectNode process(ContainerSpec spec, Place place, List<String> capabilities) throws IOException {
        ImageConfig image = spec.image().config();
        ObjectNode process = Json.object();
        process.put("terminal", spec.io().tty());
        ContainerUser user = ContainerUser.of(place.rootfs(), image.user(), spec.security());
        ArrayNode groups = process.putObject("user")
                .put("uid", user.uid())
                .put("gid", user.gid())
                .putArray("additionalGids");
        user.groups().forEach(groups::add);
        process.set("args", Json.array(command(spec)));
        process.set("env", environment(spec, place.sandbox()));
        process.put(
                "cwd",
                spec.workingDir()
                        .filter(dir -> !dir.isEmpty())
                        .orElse(image.workingDir().isEmpty() ? "/" : image.workingDir()));
        ObjectNode sets = process.putObject("capabilities");
        for (String set : List.of("bounding", "effective", "permitted")) {
            sets.set(set, Json.array(capabilities));
        }
        appArmor.profile(spec.security()).ifPresent(profile -> process.put("apparmorProfile", profile));
        process.put("noNewPrivileges", spec.security().noNewPrivileges());
        limits.oomScore(spec.resources().oomScoreAdj()).ifPresent(score -> process.put("oomScoreAdj", score));
        return process;
    }

    /** The command line by the rules of Kubernetes: a command silences the image's entrypoint and its arguments. */
    static List<String> command(ContainerSpec spec) {
        ImageConfig image = spec.image().config();
        List<String> line = new ArrayList<>();
        if (spec.command().isEmpty()) {
            line.addAll(image.entrypoint());
            line.addAll(spec.args().isEmpty() ? image.cmd() : spec.args());
        } else {
            line.addAll(spec.command());
            line.addAll(spec.args());
        }
        if (line.isEmpty()) {
            throw new RuntimeFailure(RuntimeFailure.Kind.INVALID, "no command specified");
        }
        return line;
    }

    private static ArrayNode environment(ContainerSpec spec, SandboxRecord sandbox) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("PATH", PATH);
        if (spec.io().tty()) {
            all.put("TERM", "xterm");
        }
        all.put("HOSTNAME", sandbox.hostname());
        for (String line : spec.image().config().env()) {
            int equals = line.indexOf('=');
            all.put(equals < 0 ? line : line.substring(0, equals), equals < 0 ? "" : line.substring(equals + 1));
        }
        for (EnvVar variable : spec.env()) {
            all.put(variable.name(), variable.value());
        }
        List<String> lines = new ArrayList<>();
        all.forEach((name, value) -> lines.add(name + "=" + value));
        return Json.array(lines);
    }

    private ArrayNode namespaces(Place place) {
        SandboxRecord sandbox = place.sandbox();
        PodNamespaces pinned = new PodNamespaces(place.sandboxFolder());
        ArrayNode list = Json.array(List.of());
        list.addObject().put("type", "mount");
        if (!sandbox.namespaces().hostPid()) {
            ObjectNode pid = list.addObject().put("type", "pid");
            place.processesOf()
                    .or(sandbox::pause)
                    .ifPresent(first -> pid.put("path", "/proc/" + first.pid() + "/ns/pid"));
        }
        if (!sandbox.namespaces().hostNetwork()) {
            list.addObject().put("type", "network").put("path", pinned.network().toString());
            list.addObject().put("type", "uts").put("path", pinned.uts().toString());
        }
        if (!sandbox.namespaces().hostIpc()) {
            list.addObject().put("type", "ipc").put("path", pinned.ipc().toString());
        }
        if (unifiedCgroups) {
            list.addObject().put("type", "cgroup");
        }
        return list;
    }

    static ObjectNode resources(LinuxResources wanted, boolean unifiedCgroups) {
        ObjectNode resources = Json.object();
        ObjectNode cpu = Json.object();
        Json.put(cpu, "shares", wanted.cpuShares());
        Json.put(cpu, "quota", wanted.cpuQuota());
        Json.put(cpu, "period", wanted.cpuPeriod());
        if (!cpu.isEmpty()) {
            resources.set("cpu", cpu);
        }
        if (wanted.memoryLimit().isPresent()) {
            long limit = wanted.memoryLimit().getAsLong();
            ObjectNode memory = resources.putObject("memory").put("limit", limit);
            if (SwapAccounting.present(unifiedCgroups)) {
                memory.put("swap", limit);
            }
        }
        if (wanted.pids().isPresent()) {
            Json.put(
                    resources.putObject("pids"),
                    "limit",
                    OptionalLong.of(wanted.pids().getAsLong()));
        }
        if (HugeTlb.limited(unifiedCgroups)) {
            resources.set("hugepageLimits", HugeTlb.limits(wanted.hugePages(), HugeTlb.pages()));
        }
        if (unifiedCgroups && !wanted.unified().isEmpty()) {
            resources.set("unified", Json.map(UnifiedSettings.possible(wanted.unified())));
        }
        return resources;
    }

    private static Map<String, String> annotations(ContainerSpec spec, SandboxRecord sandbox) {
        return Map.of(
                "io.kubernetes.pod.namespace", sandbox.pod().namespace(),
                "io.kubernetes.pod.name", sandbox.pod().name(),
                "io.kubernetes.pod.uid", sandbox.pod().uid(),
                "io.kubernetes.container.name", spec.name());
    }
}
