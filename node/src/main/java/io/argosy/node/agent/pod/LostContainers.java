package io.argosy.node.agent.pod;

import io.argosy.node.agent.model.PodFacts;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.ContainerStateTerminatedBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;

/** What is said of containers whose end nobody knows: they have failed, because nobody can say that they have not. */
final class LostContainers {
    private static final int KILLED = 137;

    private LostContainers() {}

    /** Of one that ran, by what was said last, and is not there any more. */
    static ContainerState ranBefore() {
        return unknown(
                "The container could not be located when the pod was deleted.  The container used to be Running");
    }

    /**
     * The pod is over and nothing of it runs: all containers that could have begun have ended. Those that waited for init containers in
     * vain have not.
     */
    static void end(Pod pod, List<ContainerStatus> init, List<ContainerStatus> regular) {
        if (initialized(pod, init, regular)) {
            regular.forEach(LostContainers::end);
        }
        int begun = Math.min(1, init.size());
        for (int i = 0; i < init.size(); i++) {
            begun = hasBegun(init.get(i)) ? i + 1 : begun;
        }
        init.subList(0, begun).forEach(LostContainers::end);
    }

    private static void end(ContainerStatus status) {
        if (status.getState().getTerminated() == null) {
            status.setState(unknown("The container could not be located when the pod was terminated"));
        }
    }

    private static boolean initialized(Pod pod, List<ContainerStatus> init, List<ContainerStatus> regular) {
        if (init.isEmpty() || regular.stream().anyMatch(LostContainers::hasBegun)) {
            return true;
        }
        ContainerStatus last = init.getLast();
        Container container = pod.getSpec().getInitContainers().getLast();
        return PodFacts.isSidecar(container)
                ? last.getState().getRunning() != null && Boolean.TRUE.equals(last.getStarted())
                : succeeded(last.getState()) || succeeded(last.getLastState());
    }

    private static boolean hasBegun(ContainerStatus status) {
        boolean before = status.getLastState() != null && status.getLastState().getTerminated() != null;
        return before || status.getState().getWaiting() == null;
    }

    private static boolean succeeded(ContainerState state) {
        return state != null
                && state.getTerminated() != null
                && state.getTerminated().getExitCode() == 0;
    }

    private static ContainerState unknown(String message) {
        return new ContainerStateBuilder()
                .withTerminated(new ContainerStateTerminatedBuilder()
                        .withExitCode(KILLED)
                        .withReason("ContainerStatusUnknown")
                        .withMessage(message)
                        .build())
                .build();
    }
}
