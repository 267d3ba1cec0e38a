package io.argosy.node.agent.resize;

import io.argosy.client.model.Models;
import io.argosy.node.agent.model.PodFacts;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The resources that a node has granted to the containers of a pod that may be resized, by their names. */
public record Allocation(Map<String, ResourceRequirements> containers) {
    private static final List<String> RESIZABLE = List.of("cpu", "memory");

    public Allocation {
        containers = Map.copyOf(containers);
    }

    /** All that the pod asks for. */
    public static Allocation of(Pod pod) {
        Map<String, ResourceRequirements> granted = new HashMap<>();
        for (Container container : resizable(pod)) {
            granted.put(container.getName(), resources(container));
        }
        return new Allocation(granted);
    }

    /** What the pod's status says its running containers have: so an agent that comes back knows what was granted before. */
    public static Allocation told(Pod pod) {
        Map<String, ResourceRequirements> granted = new HashMap<>(of(pod).containers);
        for (ContainerStatus status : statuses(pod)) {
            boolean runs = status.getState() != null && status.getState().getRunning() != null;
            if (runs && status.getResources() != null) {
                granted.computeIfPresent(status.getName(), (name, spec) -> status.getResources());
            }
        }
        return new Allocation(granted);
    }

    private static List<ContainerStatus> statuses(Pod pod) {
        List<ContainerStatus> all = new ArrayList<>();
        if (pod.getStatus() != null) {
            all.addAll(pod.getStatus().getContainerStatuses());
            all.addAll(pod.getStatus().getInitContainerStatuses());
        }
        return all;
    }

    private static List<Container> resizable(Pod pod) {
        List<Container> all = new ArrayList<>(pod.getSpec().getContainers());
        pod.getSpec().getInitContainers().stream().filter(PodFacts::isSidecar).forEach(all::add);
        return all;
    }

    private static ResourceRequirements resources(Container container) {
        return container.getResources() == null ? new ResourceRequirements() : container.getResources();
    }

    public Optional<ResourceRequirements> of(String container) {
        return Optional.ofNullable(containers.get(container));
    }

    /** Whether this is what the pod asks for. */
    public boolean satisfies(Pod pod) {
        return resizable(pod).stream()
                .allMatch(c -> of(c.getName())
                        .map(granted -> same(granted, resources(c)))
                        .orElse(true));
    }

    /** The pod as if it asked for no more and no less than it was granted. */
    public Pod in(Pod pod) {
        if (satisfies(pod)) {
            return pod;
        }
        Pod given = Models.copy(pod);
        resizable(given).forEach(c -> of(c.getName()).ifPresent(c::setResources));
        return given;
    }

    /** Whether both are the same for a container that runs. */
    public static boolean same(ResourceRequirements a, ResourceRequirements b) {
        return RESIZABLE.stream().allMatch(resource -> same(a, b, true, resource) && same(a, b, false, resource));
    }

    private static boolean same(ResourceRequirements a, ResourceRequirements b, boolean request, String resource) {
        return PodFacts.amount(a, request, resource).compareTo(PodFacts.amount(b, request, resource)) == 0;
    }
}
