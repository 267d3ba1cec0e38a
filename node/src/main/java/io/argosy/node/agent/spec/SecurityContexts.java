package io.argosy.node.agent.spec;

import io.argosy.node.agent.env.ConfigException;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.image.Image;
import io.argosy.node.runtime.SecurityContext;
import io.argosy.node.runtime.SecurityContext.AppArmor;
import io.argosy.node.runtime.SecurityContext.Seccomp;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.SeccompProfile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Who a container's process is: the container's words over the pod's over the image's. */
public final class SecurityContexts {
    private SecurityContexts() {}

    /** Throws {@link ConfigException} when the pod forbids root and the container would be root. */
    public static SecurityContext of(Pod pod, Container container, Image image, Path seccompProfiles) {
        PodSecurityContext shared = pod.getSpec().getSecurityContext() == null
                ? new PodSecurityContext()
                : pod.getSpec().getSecurityContext();
        io.fabric8.kubernetes.api.model.SecurityContext own = container.getSecurityContext() == null
                ? new io.fabric8.kubernetes.api.model.SecurityContext()
                : container.getSecurityContext();
        Long user = own.getRunAsUser() != null ? own.getRunAsUser() : shared.getRunAsUser();
        Long group = own.getRunAsGroup() != null ? own.getRunAsGroup() : shared.getRunAsGroup();
        Boolean nonRoot = own.getRunAsNonRoot() != null ? own.getRunAsNonRoot() : shared.getRunAsNonRoot();
        if (Boolean.TRUE.equals(nonRoot)) {
            refuseRoot(pod, container, image, user);
        }
        boolean privileged = Boolean.TRUE.equals(own.getPrivileged());
        SecurityContext.Builder made = SecurityContext.builder()
                .privileged(privileged)
                .readOnlyRootfs(Boolean.TRUE.equals(own.getReadOnlyRootFilesystem()))
                .noNewPrivileges(Boolean.FALSE.equals(own.getAllowPrivilegeEscalation()) && !privileged)
                .seccomp(seccomp(
                        own.getSeccompProfile() != null ? own.getSeccompProfile() : shared.getSeccompProfile(),
                        privileged,
                        seccompProfiles))
                .appArmor(AppArmorProfiles.asked(pod, container).orElseGet(AppArmor.RuntimeDefault::new))
                .strictGroups("Strict".equals(shared.getSupplementalGroupsPolicy()))
                .supplementalGroups(groups(shared));
        if (user != null) {
            made.user(user);
        }
        if (group != null) {
            made.group(group);
        }
        if (own.getCapabilities() != null) {
            made.addCapabilities(own.getCapabilities().getAdd())
                    .dropCapabilities(own.getCapabilities().getDrop());
        }
        if ("Unmasked".equals(own.getProcMount())) {
            made.maskedPaths(List.of()).readOnlyPaths(List.of());
        }
        return made.build();
    }

    private static List<Long> groups(PodSecurityContext shared) {
        List<Long> groups = new ArrayList<>(shared.getSupplementalGroups());
        if (shared.getFsGroup() != null) {
            groups.add(shared.getFsGroup());
        }
        return groups;
    }

    private static void refuseRoot(Pod pod, Container container, Image image, Long user) {
        String about = " (pod: \"" + PodFacts.fullName(pod) + "\", container: " + container.getName() + ")";
        if (user != null) {
            if (user == 0) {
                throw new ConfigException("container's runAsUser breaks non-root policy" + about);
            }
            return;
        }
        String imageUser = image.config().user().split(":", 2)[0];
        if (imageUser.isEmpty() || imageUser.equals("0")) {
            throw new ConfigException("container has runAsNonRoot and image will run as root" + about);
        }
        if (!imageUser.chars().allMatch(Character::isDigit)) {
            throw new ConfigException("container has runAsNonRoot and image has non-numeric user (" + imageUser
                    + "), cannot verify user is non-root" + about);
        }
    }

    private static Seccomp seccomp(SeccompProfile profile, boolean privileged, Path profiles) {
        if (profile == null || privileged) {
            return new Seccomp.Unconfined();
        }
        return switch (profile.getType()) {
            case "RuntimeDefault" -> new Seccomp.RuntimeDefault();
            case "Localhost" -> new Seccomp.Localhost(localhost(profile.getLocalhostProfile(), profiles));
            default -> new Seccomp.Unconfined();
        };
    }

    private static Path localhost(String name, Path profiles) {
        Path profile = profiles.resolve(name == null ? "" : name).normalize();
        if (name == null || name.isEmpty() || !profile.startsWith(profiles)) {
            throw new ConfigException("localhostProfile must be set to a path inside the seccomp folder");
        }
        return profile;
    }
}
