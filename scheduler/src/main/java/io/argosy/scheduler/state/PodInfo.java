package io.argosy.scheduler.state;

import io.argosy.api.NamespacedName;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.NodeAffinity;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Toleration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What the scheduler needs to know of a pod, worked out once. */
public final class PodInfo {
    /** What a container counts for when scores compare nodes and it asks for nothing. */
    private static final long ASSUMED_CPU = 100;

    private static final long ASSUMED_MEMORY = 200L << 20;

    private final Pod pod;
    private final NamespacedName name;
    private final String uid;
    private final Resource requests;
    private final long scoredCpu;
    private final long scoredMemory;
    private final List<HostPort> hostPorts;
    private final List<Toleration> tolerations;
    private final NodeRequirement required;
    private final List<NodeRequirement.Preferred> preferred;

    /** A port of the node itself; the address 0.0.0.0 is every address. */
    public record HostPort(String address, String protocol, int port) {
        boolean collidesWith(HostPort other) {
            return port == other.port
                    && protocol.equals(other.protocol)
                    && (address.equals(other.address) || isAny() || other.isAny());
        }

        private boolean isAny() {
            return address.equals("0.0.0.0");
        }
    }

    public PodInfo(Pod pod) {
        this.pod = pod;
        PodSpec spec = pod.getSpec();
        name = NamespacedName.of(
                pod.getMetadata().getNamespace(), pod.getMetadata().getName());
        uid = pod.getMetadata().getUid();
        requests = total(spec, false);
        Resource scored = total(spec, true);
        scoredCpu = scored.cpu();
        scoredMemory = scored.memory();
        hostPorts = hostPorts(spec);
        tolerations = spec.getTolerations() == null ? List.of() : spec.getTolerations();
        Affinity affinity = spec.getAffinity();
        NodeAffinity nodes = affinity == null ? null : affinity.getNodeAffinity();
        required = NodeRequirement.of(
                spec.getNodeSelector(),
                nodes == null ? null : nodes.getRequiredDuringSchedulingIgnoredDuringExecution());
        preferred = nodes == null
                ? List.of()
                : NodeRequirement.preferred(nodes.getPreferredDuringSchedulingIgnoredDuringExecution());
    }

    public Pod pod() {
        return pod;
    }

    public NamespacedName name() {
        return name;
    }

    public String uid() {
        return uid;
    }

    public int priority() {
        Integer priority = pod.getSpec().getPriority();
        return priority == null ? 0 : priority;
    }

    public Resource requests() {
        return requests;
    }

    /** CPU as scores count it: a container that asks for nothing is taken to need a little. */
    public long scoredCpu() {
        return scoredCpu;
    }

    public long scoredMemory() {
        return scoredMemory;
    }

    public List<HostPort> hostPorts() {
        return hostPorts;
    }

    public List<Toleration> tolerations() {
        return tolerations;
    }

    public NodeRequirement required() {
        return required;
    }

    public List<NodeRequirement.Preferred> preferred() {
        return preferred;
    }

    /** Containers side by side, or the largest moment of the start-up if that is more; sidecars run through both. */
    private static Resource total(PodSpec spec, boolean assumeMinimum) {
        Resource running = Resource.NONE;
        for (Container container : spec.getContainers()) {
            running = running.plus(of(container, assumeMinimum));
        }
        if (spec.getInitContainers() != null && !spec.getInitContainers().isEmpty()) {
            Resource sidecars = Resource.NONE;
            Resource starting = Resource.NONE;
            for (Container container : spec.getInitContainers()) {
                Resource own = of(container, assumeMinimum);
                if ("Always".equals(container.getRestartPolicy())) {
                    running = running.plus(own);
                    sidecars = sidecars.plus(own);
                    starting = starting.max(sidecars);
                } else {
                    starting = starting.max(sidecars.plus(own));
                }
            }
            running = running.max(starting);
        }
        if (spec.getResources() != null) {
            running = running.overriddenBy(spec.getResources().getRequests());
        }
        return spec.getOverhead() == null ? running : running.plus(Resource.of(spec.getOverhead()));
    }

    private static Resource of(Container container, boolean assumeMinimum) {
        Map<String, Quantity> requests = container.getResources() == null
                ? null
                : container.getResources().getRequests();
        Resource own = Resource.of(requests);
        if (!assumeMinimum) {
            return own;
        }
        boolean cpu = requests != null && requests.containsKey("cpu");
        boolean memory = requests != null && requests.containsKey("memory");
        return cpu && memory
                ? own
                : new Resource(
                        cpu ? own.cpu() : ASSUMED_CPU,
                        memory ? own.memory() : ASSUMED_MEMORY,
                        own.ephemeralStorage(),
                        own.others());
    }

    private static List<HostPort> hostPorts(PodSpec spec) {
        List<HostPort> found = new ArrayList<>(0);
        for (Container container : spec.getContainers()) {
            addPorts(container, found);
        }
        if (spec.getInitContainers() != null) {
            for (Container container : spec.getInitContainers()) {
                if ("Always".equals(container.getRestartPolicy())) {
                    addPorts(container, found);
                }
            }
        }
        return List.copyOf(found);
    }

    private static void addPorts(Container container, List<HostPort> found) {
        if (container.getPorts() == null) {
            return;
        }
        for (ContainerPort port : container.getPorts()) {
            if (port.getHostPort() != null && port.getHostPort() > 0) {
                String address = port.getHostIP();
                found.add(new HostPort(
                        address == null || address.isEmpty() ? "0.0.0.0" : address,
                        port.getProtocol() == null ? "TCP" : port.getProtocol(),
                        port.getHostPort()));
            }
        }
    }

    @Override
    public String toString() {
        return name.toString();
    }
}
