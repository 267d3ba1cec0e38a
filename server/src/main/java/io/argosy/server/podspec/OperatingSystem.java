package io.argosy.server.podspec;

import io.argosy.server.validation.Spot;
import java.util.List;

/** What makes no sense on the system that a pod is for. */
final class OperatingSystem {
    private static final String NOT_ON_WINDOWS = "cannot be set for a windows pod";
    private static final String NOT_ON_LINUX = "windows options cannot be set for a linux pod";
    private static final List<String> OF_LINUX_PODS = List.of(
            "appArmorProfile",
            "seLinuxOptions",
            "seccompProfile",
            "fsGroup",
            "fsGroupChangePolicy",
            "runAsUser",
            "runAsGroup",
            "supplementalGroups",
            "supplementalGroupsPolicy",
            "seLinuxChangePolicy");
    private static final List<String> OF_LINUX_CONTAINERS = List.of(
            "appArmorProfile",
            "seLinuxOptions",
            "seccompProfile",
            "capabilities",
            "readOnlyRootFilesystem",
            "privileged",
            "allowPrivilegeEscalation",
            "procMount",
            "runAsUser",
            "runAsGroup");

    private OperatingSystem() {}

    static void check(Spot spec) {
        if (!spec.has("os")) {
            return;
        }
        Spot os = spec.at("os");
        switch (os.text("name")) {
            case "" -> os.at("name").required();
            case "linux" -> linux(spec);
            case "windows" -> windows(spec);
            default -> os.errors().notSupported(os.path(), os.text("name"), List.of("linux", "windows"));
        }
    }

    private static void linux(Spot spec) {
        forbid(spec.at("securityContext"), List.of("windowsOptions"), NOT_ON_LINUX);
        containers(spec, List.of("windowsOptions"), NOT_ON_LINUX);
    }

    private static void windows(Spot spec) {
        forbid(spec.at("securityContext"), OF_LINUX_PODS, NOT_ON_WINDOWS);
        if (!spec.at("securityContext").each("sysctls").isEmpty()) {
            spec.at("securityContext").at("sysctls").forbidden(NOT_ON_WINDOWS);
        }
        forbid(spec, List.of("hostUsers", "shareProcessNamespace"), NOT_ON_WINDOWS);
        for (String shared : List.of("hostPID", "hostIPC")) {
            if (spec.isTrue(shared)) {
                spec.at(shared).forbidden(NOT_ON_WINDOWS);
            }
        }
        containers(spec, OF_LINUX_CONTAINERS, NOT_ON_WINDOWS);
    }

    private static void containers(Spot spec, List<String> fields, String why) {
        for (String list : List.of("initContainers", "containers", "ephemeralContainers")) {
            spec.each(list).forEach(container -> forbid(container.at("securityContext"), fields, why));
        }
    }

    private static void forbid(Spot place, List<String> fields, String why) {
        for (String field : fields) {
            if (place.has(field)) {
                place.at(field).forbidden(why);
            }
        }
    }
}
