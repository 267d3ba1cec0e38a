package io.argosy.node.runtime;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Who a container's process is and what it may do. The default is what containerd gives: the image's user, the usual
 * fourteen capabilities, the kernel's delicate files masked.
 *
 * @param user numeric; empty takes {@code userName}, and failing that the image's user
 * @param userName a name to look up in the image's /etc/passwd
 * @param group numeric; empty takes the user's own group
 * @param strictGroups whether the groups of the image's /etc/group are left out
 * @param addCapabilities names with or without CAP_; ALL stands for all
 * @param maskedPaths empty optional takes the default, an empty list masks nothing (procMount Unmasked)
 */
public record SecurityContext(
        OptionalLong user,
        Optional<String> userName,
        OptionalLong group,
        List<Long> supplementalGroups,
        boolean strictGroups,
        List<String> addCapabilities,
        List<String> dropCapabilities,
        boolean privileged,
        boolean readOnlyRootfs,
        boolean noNewPrivileges,
        Seccomp seccomp,
        AppArmor appArmor,
        Optional<List<String>> maskedPaths,
        Optional<List<String>> readOnlyPaths) {

    public SecurityContext {
        supplementalGroups = List.copyOf(supplementalGroups);
        addCapabilities = List.copyOf(addCapabilities);
        dropCapabilities = List.copyOf(dropCapabilities);
        maskedPaths = maskedPaths.map(List::copyOf);
        readOnlyPaths = readOnlyPaths.map(List::copyOf);
        Objects.requireNonNull(seccomp, "seccomp");
        Objects.requireNonNull(appArmor, "appArmor");
    }

    public static final SecurityContext DEFAULT = builder().build();

    public static Builder builder() {
        return new Builder();
    }

    /** Which system calls are let through. */
    public sealed interface Seccomp {
        /** All of them. */
        record Unconfined() implements Seccomp {}

        /** The runtime's own list. */
        record RuntimeDefault() implements Seccomp {}

        /** A profile in a file of the node. */
        record Localhost(Path profile) implements Seccomp {}
    }

    /** Which AppArmor profile confines the process, where the host has AppArmor. */
    public sealed interface AppArmor {
        /** None. */
        record Unconfined() implements AppArmor {}

        /** The runtime's own, also for those who ask for none. */
        record RuntimeDefault() implements AppArmor {}

        /** One that is loaded on the node. */
        record Localhost(String profile) implements AppArmor {}
    }

    /** Collects the parts of a security context. */
    public static final class Builder {
        private OptionalLong user = OptionalLong.empty();
        private Optional<String> userName = Optional.empty();
        private OptionalLong group = OptionalLong.empty();
        private List<Long> supplementalGroups = List.of();
        private boolean strictGroups;
        private List<String> addCapabilities = List.of();
        private List<String> dropCapabilities = List.of();
        private boolean privileged;
        private boolean readOnlyRootfs;
        private boolean noNewPrivileges;
        private Seccomp seccomp = new Seccomp.Unconfined();
        private AppArmor appArmor = new AppArmor.RuntimeDefault();
        private Optional<List<String>> maskedPaths = Optional.empty();
        private Optional<List<String>> readOnlyPaths = Optional.empty();

        private Builder() {}

        public Builder user(long user) {
            this.user = OptionalLong.of(user);
            return this;
        }

        public Builder userName(String userName) {
            this.userName = Optional.of(userName);
            return this;
        }

        public Builder group(long group) {
            this.group = OptionalLong.of(group);
            return this;
        }

        public Builder supplementalGroups(List<Long> groups) {
            this.supplementalGroups = groups;
            return this;
        }

        public Builder strictGroups(boolean strict) {
            this.strictGroups = strict;
            return this;
        }

        public Builder addCapabilities(List<String> capabilities) {
            this.addCapabilities = capabilities;
            return this;
        }

        public Builder dropCapabilities(List<String> capabilities) {
            this.dropCapabilities = capabilities;
            return this;
        }

        public Builder privileged(boolean privileged) {
            this.privileged = privileged;
            return this;
        }

        public Builder readOnlyRootfs(boolean readOnlyRootfs) {
            this.readOnlyRootfs = readOnlyRootfs;
            return this;
        }

        public Builder noNewPrivileges(boolean noNewPrivileges) {
            this.noNewPrivileges = noNewPrivileges;
            return this;
        }

        public Builder seccomp(Seccomp seccomp) {
            this.seccomp = seccomp;
            return this;
        }

        public Builder appArmor(AppArmor appArmor) {
            this.appArmor = appArmor;
            return this;
        }

        public Builder maskedPaths(List<String> paths) {
            this.maskedPaths = Optional.of(paths);
            return this;
        }

        public Builder readOnlyPaths(List<String> paths) {
            this.readOnlyPaths = Optional.of(paths);
            return this;
        }

        public SecurityContext build() {
            return new SecurityContext(
                    user,
                    userName,
                    group,
                    supplementalGroups,
                    strictGroups,
                    addCapabilities,
                    dropCapabilities,
                    privileged,
                    readOnlyRootfs,
                    noNewPrivileges,
                    seccomp,
                    appArmor,
                    maskedPaths,
                    readOnlyPaths);
        }
    }
}
