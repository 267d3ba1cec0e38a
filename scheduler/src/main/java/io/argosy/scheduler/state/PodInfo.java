package io.argosy.scheduler.state;

import io.argosy.api.NamespacedName;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.NodeAffinity;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodAffinityTerm;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.WeightedPodAffinityTerm;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What the scheduler needs to know of a pod, worked out once. */
public final class PodInfo {
    private final Pod pod;
    private final NamespacedName name;
    private final String uid;
    private final int priority;
    private final Map<String, String> labels;
    private final Resource requests;
    private final long scoredCpu;
    private final long scoredMemory;
    private final List<HostPort> hostPorts;
    private final List<Toleration> tolerations;
    private final NodeRequirement required;
    private final List<NodeRequirement.Preferred> preferred;
    private final List<AffinityTerm> affinity;
    private final List<AffinityTerm> antiAffinity;
    private final List<AffinityTerm.Weighted> preferredAffinity;
    private final List<SpreadConstraint> spread;
    private final List<ClaimUse> claims;
    private final List<String> images;

    /** A port of the node itself; the address 0.0.0.0 is every address. */
    public record HostPort(String address, String protocol, int port) {
        /** True if not both lists of ports can be had on one node. */
        public static boolean anyCollide(List<HostPort> some, List<HostPort> others) {
            for (HostPort one : some) {
                for (HostPort other : others) {
                    if (one.collidesWith(other)) {
                        return true;
                    }
                }
            }
            return false;
        }

        boolean collidesWith(HostPort other) {
            return port == other.port
                    && protocol.equals(other.protocol)
                    && (address.equals(other.address) || isAny() || other.isAny());
        }

        private boolean isAny() {
            return address.equals("0.0.0.0");
        }
    }

    /** A claim the pod mounts; an ephemeral one is made for this pod alone and may not be there yet. */
    public record ClaimUse(String name, boolean ephemeral) {}

    public PodInfo(Pod pod) {
        this.pod = pod;
        PodSpec spec = pod.getSpec();
        name = NamespacedName.of(
                pod.getMetadata().getNamespace(), pod.getMetadata().getName());
        uid = pod.getMetadata().getUid();
        priority = spec.getPriority() == null ? 0 : spec.getPriority();
        labels = pod.getMetadata().getLabels() == null
                ? Map.of()
                : pod.getMetadata().getLabels();
        PodResources resources = new PodResources(pod);
        requests = resources.requests();
        Resource scored = resources.scored();
        scoredCpu = scored.cpu();
        scoredMemory = scored.memory();
        hostPorts = hostPorts(spec);
        tolerations = spec.getTolerations() == null ? List.of() : spec.getTolerations();
        Affinity wishes = spec.getAffinity();
        NodeAffinity nodes = wishes == null ? null : wishes.getNodeAffinity();
        required = NodeRequirement.of(
                spec.getNodeSelector(),
                nodes == null ? null : nodes.getRequiredDuringSchedulingIgnoredDuringExecution());
        preferred = nodes == null
                ? List.of()
                : NodeRequirement.preferred(nodes.getPreferredDuringSchedulingIgnoredDuringExecution());
        var near = wishes == null ? null : wishes.getPodAffinity();
        var far = wishes == null ? null : wishes.getPodAntiAffinity();
        affinity = near == null ? List.of() : terms(near.getRequiredDuringSchedulingIgnoredDuringExecution());
        antiAffinity = far == null ? List.of() : terms(far.getRequiredDuringSchedulingIgnoredDuringExecution());
        List<AffinityTerm.Weighted> leanings = new ArrayList<>(0);
        if (near != null) {
            lean(near.getPreferredDuringSchedulingIgnoredDuringExecution(), 1, leanings);
        }
        if (far != null) {
            lean(far.getPreferredDuringSchedulingIgnoredDuringExecution(), -1, leanings);
        }
        preferredAffinity = List.copyOf(leanings);
        spread = spec.getTopologySpreadConstraints() == null
                ? List.of()
                : spec.getTopologySpreadConstraints().stream()
                        .map(constraint -> SpreadConstraint.of(constraint, labels))
                        .toList();
        claims = claims(pod);
        images = images(spec);
    }

    public Pod pod() {
        return pod;
    }

    public NamespacedName name() {
        return name;
    }

    public String namespace() {
        return name.namespace();
    }

    public String uid() {
        return uid;
    }

    public int priority() {
        return priority;
    }

    public Map<String, String> labels() {
        return labels;
    }

    public boolean isTerminating() {
        return pod.getMetadata().getDeletionTimestamp() != null;
    }

    /** The node that was, or is being, cleared for this pod; empty if there is none. */
    public String nominatedNode() {
        String node = pod.getStatus() == null ? null : pod.getStatus().getNominatedNodeName();
        return node == null ? "" : node;
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

    /** Pods that must be near. */
    public List<AffinityTerm> affinity() {
        return affinity;
    }

    /** Pods that must be far. */
    public List<AffinityTerm> antiAffinity() {
        return antiAffinity;
    }

    /** Pods that had better be near, or far where the weight is negative. */
    public List<AffinityTerm.Weighted> preferredAffinity() {
        return preferredAffinity;
    }

    public List<SpreadConstraint> spread() {
        return spread;
    }

    public List<ClaimUse> claims() {
        return claims;
    }

    public boolean usesClaim(String claim) {
        for (ClaimUse use : claims) {
            if (use.name().equals(claim)) {
                return true;
            }
        }
        return false;
    }

    /** The images of all its containers, with their tags. */
    public List<String> images() {
        return images;
    }

    private List<AffinityTerm> terms(List<PodAffinityTerm> terms) {
        return terms == null
                ? List.of()
                : terms.stream()
                        .map(term -> AffinityTerm.of(term, name.namespace(), labels))
                        .toList();
    }

    private void lean(List<WeightedPodAffinityTerm> terms, int sign, List<AffinityTerm.Weighted> found) {
        if (terms != null) {
            for (WeightedPodAffinityTerm term : terms) {
                found.add(new AffinityTerm.Weighted(
                        AffinityTerm.of(term.getPodAffinityTerm(), name.namespace(), labels), sign * term.getWeight()));
            }
        }
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

    private static List<ClaimUse> claims(Pod pod) {
        if (pod.getSpec().getVolumes() == null) {
            return List.of();
        }
        List<ClaimUse> found = new ArrayList<>(0);
        for (Volume volume : pod.getSpec().getVolumes()) {
            if (volume.getPersistentVolumeClaim() != null) {
                found.add(new ClaimUse(volume.getPersistentVolumeClaim().getClaimName(), false));
            } else if (volume.getEphemeral() != null) {
                found.add(new ClaimUse(pod.getMetadata().getName() + "-" + volume.getName(), true));
            }
        }
        return List.copyOf(found);
    }

    private static List<String> images(PodSpec spec) {
        List<String> found = new ArrayList<>(spec.getContainers().size());
        if (spec.getInitContainers() != null) {
            spec.getInitContainers().forEach(container -> found.add(withTag(container.getImage())));
        }
        spec.getContainers().forEach(container -> found.add(withTag(container.getImage())));
        return found;
    }

    private static String withTag(String image) {
        if (image == null) {
            return "";
        }
        return image.lastIndexOf(':') <= image.lastIndexOf('/') ? image + ":latest" : image;
    }

    @Override
    public String toString() {
        return name.toString();
    }
}
