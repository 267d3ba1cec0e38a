package io.argosy.node.runtime;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What a pod's containers share. Built with {@link #builder}; everything but the pod and its log directory has a
 * default.
 *
 * @param hostname as seen inside; empty takes the host's own
 * @param dns empty takes the host's resolver file
 * @param cgroupParent the pod's control group below the runtime's own root; empty lets the runtime choose
 * @param resources the limits of the pod as a whole
 * @param handler which of its ways of running pods the runtime is to take; empty for the usual one
 */
public record SandboxSpec(
        PodIdentity pod,
        String hostname,
        Optional<DnsConfig> dns,
        Path logDirectory,
        List<PortMapping> ports,
        Map<String, String> labels,
        Namespaces namespaces,
        Map<String, String> sysctls,
        Optional<String> cgroupParent,
        LinuxResources resources,
        boolean privileged,
        String handler) {

    public SandboxSpec {
        Objects.requireNonNull(pod, "pod");
        Objects.requireNonNull(logDirectory, "logDirectory");
        ports = List.copyOf(ports);
        labels = Map.copyOf(labels);
        sysctls = Map.copyOf(sysctls);
    }

    public static Builder builder(PodIdentity pod, Path logDirectory) {
        return new Builder(pod, logDirectory);
    }

    /**
     * Which namespaces are the host's, and whether the containers see one another's processes.
     *
     * @param users what the pod's users are on the host; empty for those of the host itself
     */
    public record Namespaces(
            boolean hostNetwork, boolean hostPid, boolean hostIpc, boolean shareProcesses, Optional<IdRange> users) {
        public static final Namespaces POD = new Namespaces(false, false, false, false);

        public Namespaces(boolean hostNetwork, boolean hostPid, boolean hostIpc, boolean shareProcesses) {
            this(hostNetwork, hostPid, hostIpc, shareProcesses, Optional.empty());
        }
    }

    /** What goes into the pod's /etc/resolv.conf. */
    public record DnsConfig(List<String> servers, List<String> searches, List<String> options) {
        public DnsConfig {
            servers = List.copyOf(servers);
            searches = List.copyOf(searches);
            options = List.copyOf(options);
        }
    }

    /** A port of the host that leads to one of the pod; an empty host address means all of them. */
    public record PortMapping(Protocol protocol, int containerPort, int hostPort, String hostIp) {}

    /** The transport of a mapped port. */
    public enum Protocol {
        TCP,
        UDP,
        SCTP
    }

    /** Collects the parts of a spec. */
    public static final class Builder {
        private final PodIdentity pod;
        private final Path logDirectory;
        private String hostname = "";
        private Optional<DnsConfig> dns = Optional.empty();
        private List<PortMapping> ports = List.of();
        private Map<String, String> labels = Map.of();
        private Namespaces namespaces = Namespaces.POD;
        private Map<String, String> sysctls = Map.of();
        private Optional<String> cgroupParent = Optional.empty();
        private LinuxResources resources = LinuxResources.NONE;
        private boolean privileged;
        private String handler = "";

        private Builder(PodIdentity pod, Path logDirectory) {
            this.pod = pod;
            this.logDirectory = logDirectory;
        }

        public Builder hostname(String hostname) {
            this.hostname = hostname;
            return this;
        }

        public Builder dns(DnsConfig dns) {
            this.dns = Optional.of(dns);
            return this;
        }

        public Builder ports(List<PortMapping> ports) {
            this.ports = ports;
            return this;
        }

        public Builder labels(Map<String, String> labels) {
            this.labels = labels;
            return this;
        }

        public Builder namespaces(Namespaces namespaces) {
            this.namespaces = namespaces;
            return this;
        }

        public Builder sysctls(Map<String, String> sysctls) {
            this.sysctls = sysctls;
            return this;
        }

        public Builder cgroupParent(String cgroupParent) {
            this.cgroupParent = Optional.of(cgroupParent);
            return this;
        }

        public Builder resources(LinuxResources resources) {
            this.resources = resources;
            return this;
        }

        public Builder privileged(boolean privileged) {
            this.privileged = privileged;
            return this;
        }

        public Builder handler(String handler) {
            this.handler = handler;
            return this;
        }

        public SandboxSpec build() {
            return new SandboxSpec(
                    pod,
                    hostname,
                    dns,
                    logDirectory,
                    ports,
                    labels,
                    namespaces,
                    sysctls,
                    cgroupParent,
                    resources,
                    privileged,
                    handler);
        }
    }
}
