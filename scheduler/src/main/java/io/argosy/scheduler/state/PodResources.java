package io.argosy.scheduler.state;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a pod takes of its node: containers side by side, or the largest moment of the start-up if that is more, with sidecars
 * running through both; the pod's own figures where it gives them; and the overhead of its runtime. While a pod is being resized it
 * counts for the greater of what it has and what it is promised.
 */
final class PodResources {
    /** What a container counts for when scores compare nodes and it asks for nothing. */
    private static final long ASSUMED_CPU = 100;

    private static final long ASSUMED_MEMORY = 200L << 20;

    private final Pod pod;
    private final Map<String, ContainerStatus> statuses;
    private final boolean infeasible;

    PodResources(Pod pod) {
        this.pod = pod;
        statuses = statuses(pod.getStatus());
        infeasible = !statuses.isEmpty() && isResizeInfeasible(pod.getStatus());
    }

    Resource requests() {
        return total(false);
    }

    /** As scores count it: a container that asks for nothing is taken to need a little. */
    Resource scored() {
        return total(true);
    }

    private Resource total(boolean assumeMinimum) {
        PodSpec spec = pod.getSpec();
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

    private Resource of(Container container, boolean assumeMinimum) {
        Map<String, Quantity> requests = container.getResources() == null
                ? null
                : container.getResources().getRequests();
        Resource own = Resource.of(requests);
        ContainerStatus status = statuses.get(container.getName());
        if (status != null && status.getResources() != null) {
            Resource granted =
                    Resource.of(status.getResources().getRequests()).max(Resource.of(status.getAllocatedResources()));
            own = infeasible ? granted : own.max(granted);
        }
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

    private static Map<String, ContainerStatus> statuses(PodStatus status) {
        if (status == null || status.getContainerStatuses() == null && status.getInitContainerStatuses() == null) {
            return Map.of();
        }
        Map<String, ContainerStatus> found = new HashMap<>();
        collect(status.getContainerStatuses(), found);
        collect(status.getInitContainerStatuses(), found);
        return found;
    }

    private static void collect(List<ContainerStatus> statuses, Map<String, ContainerStatus> found) {
        if (statuses != null) {
            statuses.forEach(status -> found.put(status.getName(), status));
        }
    }

    private static boolean isResizeInfeasible(PodStatus status) {
        if (status.getConditions() == null) {
            return false;
        }
        for (PodCondition condition : status.getConditions()) {
            if ("PodResizePending".equals(condition.getType()) && "Infeasible".equals(condition.getReason())) {
                return true;
            }
        }
        return false;
    }
}
