package io.argosy.server.podspec;

import io.argosy.server.validation.Spot;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Who a pod's processes are, and what they may do. */
final class Contexts {
    private static final long LARGEST_ID = Integer.MAX_VALUE;
    private static final int LONGEST_SYSCTL = 253;
    private static final int LONGEST_PATH = 4095;
    private static final String SYSCTL = "([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
    private static final Pattern SYSCTL_NAME = Pattern.compile(SYSCTL);
    private static final List<String> PROFILES = List.of("Localhost", "RuntimeDefault", "Unconfined");

    private Contexts() {}

    static void ofPod(Spot spec) {
        Spot context = spec.at("securityContext");
        for (String id : List.of("fsGroup", "runAsUser", "runAsGroup")) {
            context.at(id).between(0, LARGEST_ID);
        }
        context.each("supplementalGroups").forEach(group -> group.between(0, LARGEST_ID));
        sysctls(spec, context.each("sysctls"));
        context.at("fsGroupChangePolicy").oneOf(List.of("Always", "OnRootMismatch"));
        context.at("supplementalGroupsPolicy").oneOf(List.of("Merge", "Strict"));
        context.at("seLinuxChangePolicy").oneOf(List.of("MountOption", "Recursive"));
        profile(context.at("seccompProfile"), "seccomp", "seccompProfile");
        profile(context.at("appArmorProfile"), "AppArmor", "appArmorProfile");
        WindowsOptions.check(context.at("windowsOptions"));
        if (spec.isTrue("shareProcessNamespace") && spec.isTrue("hostPID")) {
            spec.at("shareProcessNamespace").invalid("ShareProcessNamespace and HostPID cannot both be enabled");
        }
        if (spec.has("hostUsers") && !spec.isTrue("hostUsers")) {
            for (String shared : List.of("hostNetwork", "hostPID", "hostIPC")) {
                if (spec.isTrue(shared)) {
                    spec.at(shared.equals("hostNetwork") ? shared : "H" + shared.substring(1))
                            .forbidden("when `hostUsers` is false");
                }
            }
        }
    }

    private static void sysctls(Spot spec, List<Spot> sysctls) {
        Set<String> names = new HashSet<>();
        for (Spot sysctl : sysctls) {
            Spot name = sysctl.at("name");
            String text = name.text();
            if (!name.needed()) {
                continue;
            }
            if (text.length() > LONGEST_SYSCTL || !SYSCTL_NAME.matcher(text).matches()) {
                name.invalid("must have at most " + LONGEST_SYSCTL + " characters and match regex ^" + SYSCTL + "$");
            } else if (!names.add(text)) {
                name.duplicate(text);
            }
            String plain = text.replace('/', '.');
            if (spec.isTrue("hostNetwork") && plain.startsWith("net.")) {
                name.invalid("may not be specified when 'hostNetwork' is true");
            }
            if (spec.isTrue("hostIPC")
                    && (plain.startsWith("kernel.shm")
                            || plain.startsWith("kernel.msg")
                            || plain.startsWith("fs.mqueue.")
                            || plain.equals("kernel.sem"))) {
                name.invalid("may not be specified when 'hostIPC' is true");
            }
        }
    }

    static void ofContainer(Spot context, boolean hostUsers) {
        context.at("runAsUser").between(0, LARGEST_ID);
        context.at("runAsGroup").between(0, LARGEST_ID);
        Spot proc = context.at("procMount");
        proc.oneOf(List.of("Default", "Unmasked"));
        if (hostUsers && proc.text().equals("Unmasked")) {
            proc.invalid("`hostUsers` must be false to use `Unmasked`");
        }
        profile(context.at("seccompProfile"), "seccomp", "seccompProfile");
        profile(context.at("appArmorProfile"), "AppArmor", "appArmorProfile");
        WindowsOptions.check(context.at("windowsOptions"));
        if (context.has("allowPrivilegeEscalation") && !context.isTrue("allowPrivilegeEscalation")) {
            if (context.isTrue("privileged")) {
                context.invalid("cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
            }
            if (context.at("capabilities").each("add").stream()
                    .anyMatch(one -> one.text().equals("CAP_SYS_ADMIN"))) {
                context.invalid("cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN");
            }
        }
    }

    private static void appArmor(Spot local) {
        if (!local.text().equals(local.text().strip())) {
            local.invalid("must not be padded with whitespace");
        } else if (local.text().isEmpty()) {
            local.required("must be set when AppArmor type is Localhost");
        }
        local.notLongerThan(LONGEST_PATH);
    }

    private static void profile(Spot profile, String what, String field) {
        if (!profile.isGiven()) {
            return;
        }
        Spot type = profile.at("type");
        if (type.text().isEmpty()) {
            type.required("type is required when " + field + " is set");
        } else {
            type.oneOf(PROFILES);
        }
        Spot local = profile.at("localhostProfile");
        if (type.text().equals("Localhost")) {
            if (!local.isGiven()) {
                local.required("must be set when " + what + " type is Localhost");
            } else if (what.equals("seccomp")) {
                local.descendingPath();
            } else {
                appArmor(local);
            }
        } else if (local.isGiven()) {
            local.invalid("can only be set when " + what + " type is Localhost");
        }
    }
}
