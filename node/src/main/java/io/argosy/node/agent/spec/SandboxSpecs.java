package io.argosy.node.agent.spec;

import io.argosy.node.agent.NodeConfig;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.runtime.IdRange;
import io.argosy.node.runtime.LinuxResources;
import io.argosy.node.runtime.SandboxSpec;
import io.argosy.node.runtime.SandboxSpec.DnsConfig;
import io.argosy.node.runtime.SandboxSpec.Namespaces;
import io.argosy.node.runtime.SandboxSpec.PortMapping;
import io.argosy.node.runtime.SandboxSpec.Protocol;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The sandbox a pod asks for. */
public final class SandboxSpecs {
    public static final String POD_NAME = "io.kubernetes.pod.name";
    public static final String POD_NAMESPACE = "io.kubernetes.pod.namespace";
    public static final String POD_UID = "io.kubernetes.pod.uid";
    public static final String CONTAINER_NAME = "io.kubernetes.container.name";

    private SandboxSpecs() {}

    public static SandboxSpec of(
            Pod pod, int attempt, NodeConfig node, DnsConfig hostDns, String handler, Optional<IdRange> users) {
        boolean hostNetwork = PodFacts.hostNetwork(pod);
        return SandboxSpec.builder(PodFacts.identity(pod, attempt), node.logs().of(pod))
                .hostname(PodNames.hostname(pod, node))
                .dns(DnsLimits.of(PodNames.dns(pod, node, hostDns)).fitting())
                .ports(hostNetwork ? List.of() : ports(pod))
                .labels(labels(pod))
                .namespaces(new Namespaces(
                        hostNetwork,
                        Boolean.TRUE.equals(pod.getSpec().getHostPID()),
                        Boolean.TRUE.equals(pod.getSpec().getHostIPC()),
                        Boolean.TRUE.equals(pod.getSpec().getShareProcessNamespace()),
                        users))
                .sysctls(sysctls(pod))
                .cgroupParent(ResourceLimits.cgroupParent(pod))
                .resources(podLimits(pod, node))
                .privileged(PodFacts.all(pod).stream().anyMatch(SandboxSpecs::privileged))
                .handler(handler)
                .build();
    }

    /** The limits of the pod as a whole on this node. */
    public static LinuxResources podLimits(Pod pod, NodeConfig node) {
        LinuxResources limits = ResourceLimits.ofPod(pod);
        long pids = node.settings().podPids();
        return pids > 0 ? limits.withPids(pids) : limits;
    }

    static Map<String, String> labels(Pod pod) {
        Map<String, String> labels = new HashMap<>();
        if (pod.getMetadata().getLabels() != null) {
            labels.putAll(pod.getMetadata().getLabels());
        }
        labels.put(POD_NAME, PodFacts.name(pod));
        labels.put(POD_NAMESPACE, PodFacts.namespace(pod));
        labels.put(POD_UID, PodFacts.uid(pod));
        return labels;
    }

    private static boolean privileged(Container container) {
        return container.getSecurityContext() != null
                && Boolean.TRUE.equals(container.getSecurityContext().getPrivileged());
    }

    private static Map<String, String> sysctls(Pod pod) {
        PodSecurityContext context = pod.getSpec().getSecurityContext();
        Map<String, String> sysctls = new HashMap<>();
        if (context != null) {
            context.getSysctls().forEach(s -> sysctls.put(s.getName().replace('/', '.'), s.getValue()));
        }
        return sysctls;
    }

    private static List<PortMapping> ports(Pod pod) {
        List<PortMapping> ports = new ArrayList<>();
        List<Container> containers = new ArrayList<>(pod.getSpec().getContainers());
        pod.getSpec().getInitContainers().stream().filter(PodFacts::isSidecar).forEach(containers::add);
        for (Container container : containers) {
            for (ContainerPort port : container.getPorts()) {
                if (port.getHostPort() != null && port.getHostPort() > 0) {
                    Protocol protocol =
                            port.getProtocol() == null ? Protocol.TCP : Protocol.valueOf(port.getProtocol());
                    String ip = port.getHostIP() == null ? "" : port.getHostIP();
                    ports.add(new PortMapping(protocol, port.getContainerPort(), port.getHostPort(), ip));
                }
            }
        }
        return ports;
    }
}
