package io.argosy.node.agent.pod;

import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.pod.PodView.Instances;
import io.argosy.node.agent.pod.PodView.Wait;
import io.argosy.node.agent.volume.ContainerMounts;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
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
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The status a pod has by what runs of it: phase, conditions and container statuses as kubelet computes them. */
public final class PodStatuses {
    /** Labels the agent puts on every container, so that status can be told after a restart without the pod's old spec. */
    public static final String IMAGE_LABEL = "io.kubernetes.container.image";

    static final String IMAGE_ID_LABEL = "io.kubernetes.container.imageID";

    /** What a container was started with that it cannot be given while it runs. */
    static final String RESOURCES_LABEL = "io.argosy.container.resources";

    private final Supplier<String> runtimeName;
    private final BooleanSupplier recursiveReadOnly;
    private final List<String> hostIps;

    /** The runtime is asked for its name when the first container runs, and what it can do when one asks for that, not before. */
    public PodStatuses(Supplier<String> runtimeName, BooleanSupplier recursiveReadOnly, List<String> hostIps) {
        this.runtimeName = runtimeName;
        this.recursiveReadOnly = recursiveReadOnly;
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
        if (view.cleaned() && over(view)) {
            LostContainers.end(pod, init, regular);
        }
        String phase = PodPhase.of(view, before, init, regular);
        boolean samePhase = phase.equals(before.getPhase());
        List<String> ips = podIps(view, before);
        PodStatusBuilder status = new PodStatusBuilder()
                .withPhase(phase)
                .withReason(samePhase ? before.getReason() : null)
                .withMessage(samePhase ? before.getMessage() : null)
                .withNominatedNodeName(before.getNominatedNodeName())
                .withResourceClaimStatuses(before.getResourceClaimStatuses())
                .withExtendedResourceClaimStatus(before.getExtendedResourceClaimStatus())
                .withObservedGeneration(pod.getMetadata().getGeneration())
                .withQosClass(PodFacts.qosClass(pod))
                .withStartTime(before.getStartTime() == null ? time(view.now()) : before.getStartTime())
                .withHostIP(hostIps.isEmpty() ? null : hostIps.getFirst())
                .withHostIPs(hostIps.stream().map(HostIP::new).toList())
                .withPodIP(ips.isEmpty() ? null : ips.getFirst())
                .withPodIPs(ips.stream().map(PodIP::new).toList())
                .withInitContainerStatuses(init)
                .withContainerStatuses(byName(regular))
                .withEphemeralContainerStatuses(byName(ephemeral));
        view.ending()
                .filter(e -> phase.equals("Failed"))
                .ifPresent(e -> status.withReason(e.reason()).withMessage(e.message()));
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
                .withResourceClaimStatuses(there.getResourceClaimStatuses())
                .withExtendedResourceClaimStatus(there.getExtendedResourceClaimStatus())
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
            ContainerStatus told = old.get(spec.getName());
            boolean never = told == null && view.container(spec.getName()).isEmpty();
            if (!never || !refused(view)) {
                statuses.add(status(view, spec, told));
            }
        }
        return statuses;
    }

    /** Of a pod that was not taken in there is nothing to say but why, now and after a restart. */
    static boolean refused(PodView view) {
        return view.ending().map(PodView.Ending::refused).orElse(PodFacts.terminal(view.pod()));
    }

    private static boolean over(PodView view) {
        return view.removed()
                || view.ending().isPresent()
                || PodFacts.deleting(view.pod())
                || PodFacts.terminal(view.pod());
    }

    private static List<ContainerStatus> byName(List<ContainerStatus> statuses) {
        return statuses.stream()
                .sorted(Comparator.comparing(ContainerStatus::getName))
                .toList();
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
        String image = instance.current().labels().getOrDefault(IMAGE_LABEL, spec.getImage());
        return !over(view)
                && view.sandboxReady()
                && instance.exited()
                && !image.equals(spec.getImage())
                && !view.waits().containsKey(spec.getName())
                && PodPlan.shouldRestart(pod, spec, instance.exitCode())
                && before != null
                && before.getState() != null
                && before.getState().getRunning() != null;
    }

    private List<VolumeMountStatus> mounts(Container spec) {
        return spec.getVolumeMounts().stream()
                .map(mount -> {
                    boolean readOnly = Boolean.TRUE.equals(mount.getReadOnly());
                    boolean asked = ContainerMounts.recursive(mount, true);
                    String recursive = asked && recursiveReadOnly.getAsBoolean() ? "Enabled" : "Disabled";
                    return new VolumeMountStatus(
                            mount.getMountPath(), mount.getName(), readOnly ? true : null, readOnly ? recursive : null);
                })
                .toList();
    }

    private ContainerStatus withoutInstance(
            PodView view, Container spec, ContainerStatus before, ContainerStatusBuilder status) {
        if (before != null && before.getState() != null && before.getState().getTerminated() != null) {
            return before;
        }
        boolean ran =
                before != null && before.getState() != null && before.getState().getRunning() != null;
        if (ran && (before.getLastState() == null || before.getLastState().getTerminated() == null)) {
            status.withLastState(LostContainers.ranBefore())
                    .withRestartCount(before.getRestartCount() + (PodFacts.deleting(view.pod()) ? 0 : 1));
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
                        .withStartedAt(time(container.startedAt().orElse(Instant.EPOCH))) // as CRI runtimes say never
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

    /** Times in the API have whole seconds. */
    static String time(Instant instant) {
        return DateTimeFormatter.ISO_INSTANT.format(instant.truncatedTo(ChronoUnit.SECONDS));
    }
}
