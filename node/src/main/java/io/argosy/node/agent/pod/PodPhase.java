package io.argosy.node.agent.pod;

import io.argosy.node.agent.model.PodFacts;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.util.List;

/** The phase of a pod by what its containers do, as kubelet counts. */
final class PodPhase {
    private PodPhase() {}

    /** A pod that has ended never comes back to life, and one of which something runs still has not ended. */
    static String of(PodView view, PodStatus before, List<ContainerStatus> init, List<ContainerStatus> regular) {
        if (PodFacts.terminal(view.pod())) {
            return before.getPhase();
        }
        String phase = view.ending().isPresent() ? "Failed" : counted(view, init, regular);
        boolean over = phase.equals("Failed") || phase.equals("Succeeded");
        if (over && view.anyRunning()) {
            return before.getPhase() == null || before.getPhase().isEmpty() ? "Pending" : before.getPhase();
        }
        return phase;
    }

    private static String counted(PodView view, List<ContainerStatus> init, List<ContainerStatus> regular) {
        Pod pod = view.pod();
        boolean initPending = false;
        boolean sidecarRuns = false;
        for (int i = 0; i < init.size(); i++) {
            ContainerStatus status = init.get(i);
            Container container = pod.getSpec().getInitContainers().get(i);
            ContainerStateTerminated ended = status.getState().getTerminated();
            if (PodFacts.isSidecar(container)) {
                sidecarRuns |= status.getState().getRunning() != null;
                initPending |= !Boolean.TRUE.equals(status.getStarted());
            } else if (ended != null
                    && ended.getExitCode() != 0
                    && !PodPlan.shouldRestart(pod, container, ended.getExitCode())) {
                return "Failed";
            } else {
                initPending |= ended == null || ended.getExitCode() != 0;
            }
        }
        int running = 0;
        int waiting = 0;
        int stopped = 0;
        int succeeded = 0;
        boolean restarts = false;
        for (int i = 0; i < regular.size(); i++) {
            ContainerStatus status = regular.get(i);
            Container container = pod.getSpec().getContainers().get(i);
            ContainerStateTerminated ended = status.getState().getTerminated();
            ContainerStateTerminated last =
                    status.getLastState() == null ? null : status.getLastState().getTerminated();
            if (status.getState().getRunning() != null) {
                running++;
            } else if (ended != null) {
                stopped++;
                succeeded += ended.getExitCode() == 0 ? 1 : 0;
                restarts |= PodPlan.shouldRestart(pod, container, ended.getExitCode());
            } else if (last != null) {
                stopped++;
                restarts |= PodPlan.shouldRestart(pod, container, last.getExitCode());
            } else {
                waiting++;
            }
        }
        boolean over = view.removed() || PodFacts.deleting(pod);
        boolean nothingRan = running == 0 && stopped == 0;
        if ((initPending && nothingRan) || waiting > 0) {
            return over && view.cleaned() ? "Failed" : "Pending";
        }
        if (running > 0 || stopped == 0) {
            return running > 0 ? "Running" : "Pending";
        }
        if (over && !view.anyRunning()) {
            return stopped == succeeded ? "Succeeded" : "Failed";
        }
        if (sidecarRuns || restarts) {
            return "Running";
        }
        return stopped == succeeded ? "Succeeded" : "Failed";
    }
}
