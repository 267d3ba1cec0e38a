package io.argosy.node.agent.pod;

import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.pod.PodView.Instances;
import io.argosy.node.agent.pod.PodView.Wait;
import io.argosy.node.agent.volume.ContainerMounts;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateTerminatedBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.ContainerUser;
import io.fabric8.kubernetes.api.model.HostIP;
import io.fabric8.kubernetes.api.model.LinuxContainerUser;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodIP;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import io.fabric8.kubernetes.api.model.VolumeMountStatus;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The status a pod has by what runs of it: phase, conditions and container statuses as kubelet computes them. */
public final class PodStatuses {
    /** Labels the agent puts on every container, so that status can be told after a restart without the pod's old spec. */
    static final String IMAGE_LABEL = "io.kubernetes.container.image";

    static final String IMAGE_ID_LABEL = "io.kubernetes.container.imageID";

    /** What a container was started with that it cannot be given while it runs. */
    static final String RESOURCES_LABEL = "io.argosy.container.resources";

    private final Supplier<String> runtimeName;
    private final List<String> hostIps;

    /** The runtime is asked for its name when the first container runs, not before. */
    public PodStatuses(Supplier<String> runtimeName, List<String> hostIps) {
        this.runtimeName = runtimeName;
        this.hostIps = List.copyOf(hostIps);
    }

    public PodStatus of(PodView view) {
        Pod pod = view.pod();
        PodStatus before = pod.getStatus() == null ? new PodStatus() : pod.getStatus();
        List<ContainerStatus> init =
                statuses(view, pod.getSpec().getInitContainers(), before.getInitContainerStatuses());
        List<ContainerStatus> regular = statuses(view, pod.getSpec().getContainers(), before.getContainerStatuses());
        List<ContainerStatus> ephemeral =
                statuses(view, PodFacts.ephemeral(pod), before.getEphemeralContainerStatuses());
        String phase = phase(view, before, init, regular);
        List<String> ips = podIps(view, before);
        PodStatusBuilder status = new PodStatusBuilder()
                .withPhase(phase)
                .withReason(before.getReason())
                .withMessage(before.getMessage())
                .withNominatedNodeName(before.getNominatedNodeName())
                .withObservedGeneration(pod.getMetadata().getGeneration())
                .withQosClass(PodFacts.qosClass(pod))
                .withStartTime(before.getStartTime() == null ? time(view.now()) : before.getStartTime())
                .withHostIP(hostIps.isEmpty() ? null : hostIps.getFirst())
                .withHostIPs(hostIps.stream().map(HostIP::new).toList())
                .withPodIP(ips.isEmpty() ? null : ips.getFirst())
                .withPodIPs(ips.stream().map(PodIP::new).toList())
                .withInitContainerStatuses(init)
                .withContainerStatuses(regular)
                .withEphemeralContainerStatuses(ephemeral);
        view.ending().ifPresent(e -> status.withReason(e.reason()).withMessage(e.message()));
        return status.withConditions(new PodConditions(view, phase, init, regular).all(before.getConditions()))
                .build();
    }

    /** The pod as the server has it, but with the status the node has made of it since; the conditions of others are the server's. */
    static Pod withStatus(Pod fresh, PodStatus own) {
        PodStatus there = fresh.getStatus() == null ? new PodStatus() : fresh.getStatus();
        List<PodCondition> conditions = new ArrayList<>(own.getConditions());
        conditions.removeIf(c -> !PodConditions.OWN.contains(c.getType()));
        there.getConditions().stream()
                .filter(c -> !PodConditions.OWN.contains(c.getType()))
                .forEach(conditions::add);
        PodStatus status = new PodStatusBuilder(own)
                .withConditions(conditions)
                .withNominatedNodeName(there.getNominatedNodeName())
                .build();
        return new Pod(fresh.getApiVersion(), fresh.getKind(), fresh.getMetadata(), fresh.getSpec(), status);
    }

    /** What was last said of a container of any kind. */
    public static Optional<ContainerStatus> told(Pod pod, String container) {
        PodStatus status = pod.getStatus() == null ? new PodStatus() : pod.getStatus();
        return Stream.of(
                        status.getContainerStatuses(),
                        status.getInitContainerStatuses(),
                        status.getEphemeralContainerStatuses())
                .flatMap(List::stream)
                .filter(s -> s.getName().equals(container))
                .findFirst();
    }

    private List<String> podIps(PodView view, PodStatus before) {
        if (PodFacts.hostNetwork(view.pod())) {
            return view.sandbox().isPresent() ? hostIps : List.of();
        }
        List<String> now = view.sandbox().map(s -> s.addresses()).orElse(List.of());
        return now.isEmpty() ? before.getPodIPs().stream().map(PodIP::getIp).toList() : now;
    }

    private List<ContainerStatus> statuses(PodView view, List<Container> specs, List<ContainerStatus> before) {
        Map<String, ContainerStatus> old = new HashMap<>();
        before.forEach(s -> old.put(s.getName(), s));
        List<ContainerStatus> statuses = new ArrayList<>();
        for (Container spec : specs) {
            statuses.add(status(view, spec, old.get(spec.getName())));
        }
        return statuses;
    }

    private ContainerStatus status(PodView view, Container spec, ContainerStatus before) {
        Optional<Instances> instance = view.container(spec.getName());
        ContainerStatusBuilder status = new ContainerStatusBuilder()
                .withName(spec.getName())
                .withImage(spec.getImage())
                .withImageID("")
                .withReady(false)
                .withStarted(false)
                .withRestartCount(before == null ? 0 : before.getRestartCount())
                .withVolumeMounts(mounts(spec))
                .withLastState(before == null ? new ContainerState() : before.getLastState());
        if (instance.isEmpty()) {
            return withoutInstance(view, spec, before, status);
        }
        if (beingReplaced(view, spec, before, instance.get())) {
            return before;
        }
        var current = instance.get().current();
        status.withImage(current.labels().getOrDefault(IMAGE_LABEL, spec.getImage()))
                .withImageID(current.labels().getOrDefault(IMAGE_ID_LABEL, current.imageId()))
                .withContainerID(containerId(current.id()))
                .withRestartCount(current.attempt());
        current.user()
                .ifPresent(user -> status.withUser(
                        new ContainerUser(new LinuxContainerUser(user.gid(), user.groups(), user.uid()))));
        status.withResources(spec.getResources())
                .withAllocatedResources(
                        spec.getResources() == null ? null : spec.getResources().getRequests());
        instance.get().previous().ifPresent(p -> status.withLastState(terminatedState(view.pod(), p)));
        Wait wait = view.waits().get(spec.getName());
        switch (current.state()) {
            case RUNNING -> {
                if (wait != null) {
                    status.withState(waiting(view, wait));
                    break;
                }
                PodView.Health health = view.health(instance.get());
                boolean plainInit = PodFacts.isInit(view.pod(), spec.getName()) && !PodFacts.isSidecar(spec);
                status.withState(new ContainerStateBuilder()
                                .withNewRunning()
                                .withStartedAt(time(current.startedAt().orElse(current.createdAt())))
                                .endRunning()
                                .build())
                        .withResources(view.resizing().actual().getOrDefault(spec.getName(), spec.getResources()))
                        .withStarted(health.started())
                        .withReady(!plainInit && health.ready());
            }
            case CREATED -> status.withState(waiting(view, wait));
            case EXITED, UNKNOWN -> {
                if (wait != null) {
                    status.withState(waiting(view, wait)).withLastState(terminatedState(view.pod(), current));
                } else {
                    status.withState(terminatedState(view.pod(), current));
                    status.withReady(PodFacts.isInit(view.pod(), spec.getName())
                            && !PodFacts.isSidecar(spec)
                            && instance.get().exitCode() == 0);
                }
            }
        }
        return status.build();
    }

    /**
     * One that was stopped because the pod now names another image counts as running until its successor does or cannot: kubelet, too, stops
     * the one and starts the other in one go and says nothing in between.
     */
    private static boolean beingReplaced(PodView view, Container spec, ContainerStatus before, Instances instance) {
        Pod pod = view.pod();
        boolean over = view.removed() || view.ending().isPresent() || PodFacts.deleting(pod) || PodFacts.terminal(pod);
        String image = instance.current().labels().getOrDefault(IMAGE_LABEL, spec.getImage());
        return !over
                && view.sandboxReady()
                && instance.exited()
                && !image.equals(spec.getImage())
                && !view.waits().containsKey(spec.getName())
                && PodPlan.shouldRestart(pod, spec, instance.exitCode())
                && before != null
                && before.getState() != null
                && before.getState().getRunning() != null;
    }

    private static List<VolumeMountStatus> mounts(Container spec) {
        return spec.getVolumeMounts().stream()
                .map(mount -> {
                    boolean readOnly = Boolean.TRUE.equals(mount.getReadOnly());
                    String recursive = ContainerMounts.recursive(mount) ? "Enabled" : "Disabled";
                    return new VolumeMountStatus(
                            mount.getMountPath(), mount.getName(), readOnly ? true : null, readOnly ? recursive : null);
                })
                .toList();
    }

    private ContainerStatus withoutInstance(
            PodView view, Container spec, ContainerStatus before, ContainerStatusBuilder status) {
        boolean over = view.removed() || PodFacts.deleting(view.pod()) || PodFacts.terminal(view.pod());
        if (before != null && before.getState() != null && before.getState().getTerminated() != null) {
            return before;
        }
        if (before != null && before.getState() != null && before.getState().getRunning() != null) {
            ContainerState lost = new ContainerStateBuilder()
                    .withTerminated(new ContainerStateTerminatedBuilder()
                            .withExitCode(137)
                            .withReason("ContainerStatusUnknown")
                            .withMessage("The container could not be located when the pod was terminated")
                            .withContainerID(before.getContainerID())
                            .build())
                    .build();
            if (over) {
                return status.withState(lost).build();
            }
            status.withLastState(lost);
        }
        return status.withState(waiting(view, view.waits().get(spec.getName()))).build();
    }

    private static ContainerState waiting(PodView view, Wait wait) {
        String reason = wait != null ? wait.reason() : begun(view.pod());
        return new ContainerStateBuilder()
                .withNewWaiting()
                .withReason(reason)
                .withMessage(wait == null || wait.message().isEmpty() ? null : wait.message())
                .endWaiting()
                .build();
    }

    /** What a container is said to wait for that has not failed yet. */
    static String begun(Pod pod) {
        return pod.getSpec().getInitContainers().isEmpty() ? "ContainerCreating" : "PodInitializing";
    }

    private ContainerState terminatedState(Pod pod, io.argosy.node.runtime.ContainerStatus container) {
        boolean unknown = container.state() == io.argosy.node.runtime.ContainerStatus.State.UNKNOWN;
        return new ContainerStateBuilder()
                .withTerminated(new ContainerStateTerminatedBuilder()
                        .withContainerID(containerId(container.id()))
                        .withExitCode(container.exitCode().orElse(137))
                        .withReason(reason(container, unknown))
                        .withMessage(
                                container.message().isEmpty()
                                        ? null
                                        : TerminationMessages.cut(pod, container.message()))
                        .withStartedAt(
                                container.startedAt().map(PodStatuses::time).orElse(null))
                        .withFinishedAt(
                                container.finishedAt().map(PodStatuses::time).orElse(null))
                        .build())
                .build();
    }

    private static String reason(io.argosy.node.runtime.ContainerStatus container, boolean unknown) {
        if (!container.reason().isEmpty()) {
            return container.reason();
        }
        return unknown ? "ContainerStatusUnknown" : container.exitCode().orElse(137) == 0 ? "Completed" : "Error";
    }

    private String containerId(String id) {
        return runtimeName.get() + "://" + id;
    }

    /** The phase, by kubelet's counting; a pod that has ended never comes back to life. */
    private static String phase(
            PodView view, PodStatus before, List<ContainerStatus> init, List<ContainerStatus> regular) {
        Pod pod = view.pod();
        if (PodFacts.terminal(pod)) {
            return before.getPhase();
        }
        if (view.ending().isPresent()) {
            return "Failed";
        }
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

    /** Times in the API have whole seconds. */
    static String time(Instant instant) {
        return DateTimeFormatter.ISO_INSTANT.format(instant.truncatedTo(ChronoUnit.SECONDS));
    }
}
