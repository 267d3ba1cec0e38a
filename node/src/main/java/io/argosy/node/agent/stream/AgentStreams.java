package io.argosy.node.agent.stream;

import io.argosy.api.GroupResource;
import io.argosy.api.NamespacedName;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.node.agent.NodeStreams;
import io.argosy.node.agent.log.LogOptions;
import io.argosy.node.agent.log.PodLogs;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.pod.PodStatuses;
import io.argosy.node.agent.pod.PodView;
import io.argosy.node.runtime.AttachRequest;
import io.argosy.node.runtime.ContainerRuntime;
import io.argosy.node.runtime.ContainerStatus;
import io.argosy.node.runtime.DuplexStream;
import io.argosy.node.runtime.ExecRequest;
import io.argosy.node.runtime.ExecSession;
import io.argosy.node.runtime.RuntimeFailure;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;

/** Finds the container a stream is for and opens it at the runtime or at its log file. */
public final class AgentStreams implements NodeStreams {
    private static final GroupResource PODS = new GroupResource("", "pods");
    private static final String DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container";

    private final ContainerRuntime runtime;
    private final PodLogs logs;
    private final Function<NamespacedName, Optional<PodView>> pods;

    public AgentStreams(ContainerRuntime runtime, PodLogs logs, Function<NamespacedName, Optional<PodView>> pods) {
        this.runtime = runtime;
        this.logs = logs;
        this.pods = pods;
    }

    @Override
    public void logs(String namespace, String pod, String container, LogOptions options, OutputStream sink)
            throws IOException {
        PodView view = view(namespace, pod);
        String name = containerName(view.pod(), container);
        Optional<PodView.Instances> instances = view.container(name);
        ContainerStatus chosen;
        if (options.previous()) {
            chosen = instances
                    .flatMap(i -> lastEnded(view, name, i))
                    .orElseThrow(() -> ApiException.badRequest(
                            "previous terminated container \"" + name + "\" in pod \"" + pod + "\" not found"));
        } else {
            chosen = instances.map(PodView.Instances::current).orElseThrow(() -> withoutLog(view, name));
        }
        String id = chosen.id();
        if (runtime.container(id).isEmpty() && !Files.exists(chosen.logPath())) {
            throw lost(runtime.info().name() + "://" + id); // what an evicted pod wrote went with it
        }
        logs.open(
                chosen.logPath(),
                options,
                () -> runtime.container(id)
                        .map(c -> c.state() == ContainerStatus.State.RUNNING
                                || c.state() == ContainerStatus.State.CREATED)
                        .orElse(false),
                sink);
    }

    @Override
    public ExecSession exec(String namespace, String pod, String container, ExecRequest request) {
        ContainerStatus running =
                running(namespace, pod, container, (view, name) -> "container not found (\"" + name + "\")");
        return translated(() -> runtime.exec(running.id(), request));
    }

    @Override
    public ExecSession attach(String namespace, String pod, String container, AttachRequest request) {
        ContainerStatus running = running(
                namespace,
                pod,
                container,
                (view, name) -> "container " + name + " not found in pod " + fullName(view.pod()));
        return translated(() -> runtime.attach(running.id(), request));
    }

    @Override
    public DuplexStream portForward(String namespace, String pod, int port) {
        PodView view = view(namespace, pod);
        if (!view.sandboxReady()) {
            throw new ApiException(Reason.InternalError, "pod not found (\"" + fullName(view.pod()) + "\")");
        }
        String sandbox = view.sandbox().orElseThrow().id();
        return translated(() -> runtime.portForward(sandbox, port));
    }

    private interface Opening<T> {
        T open();
    }

    private static <T> T translated(Opening<T> opening) {
        try {
            return opening.open();
        } catch (RuntimeFailure e) {
            Reason reason = e.kind() == RuntimeFailure.Kind.NOT_FOUND ? Reason.NotFound : Reason.InternalError;
            throw new ApiException(reason, e.getMessage());
        }
    }

    private PodView view(String namespace, String pod) {
        return pods.apply(NamespacedName.of(namespace, pod)).orElseThrow(() -> ApiException.notFound(PODS, pod));
    }

    /** What does not run is not there, whatever the reason: that a pod has ended is said by those who ask, who know it. */
    private ContainerStatus running(
            String namespace, String pod, String container, BiFunction<PodView, String, String> complaint) {
        PodView view = view(namespace, pod);
        String name = containerName(view.pod(), container);
        return view.container(name)
                .filter(PodView.Instances::running)
                .map(PodView.Instances::current)
                .orElseThrow(() -> new ApiException(Reason.InternalError, complaint.apply(view, name)));
    }

    private static String fullName(Pod pod) {
        return PodFacts.name(pod) + "_" + PodFacts.namespace(pod);
    }

    private static String containerName(Pod pod, String given) {
        if (given != null && !given.isEmpty()) {
            if (PodFacts.container(pod, given).isEmpty()) {
                throw ApiException.badRequest("container " + given + " is not valid for pod " + PodFacts.name(pod));
            }
            return given;
        }
        List<String> names =
                pod.getSpec().getContainers().stream().map(Container::getName).toList();
        Map<String, String> annotations = pod.getMetadata().getAnnotations();
        String preferred = annotations == null ? null : annotations.get(DEFAULT_CONTAINER);
        if (preferred != null && names.contains(preferred)) {
            return preferred;
        }
        if (names.size() > 1) {
            throw ApiException.badRequest("a container name must be specified for pod " + PodFacts.name(pod)
                    + ", choose one of: [" + String.join(" ", names) + "]");
        }
        return names.getFirst();
    }

    /** The instance that the status shows as the last one that ended, which is the newest of all while the next is waited for. */
    private static Optional<ContainerStatus> lastEnded(PodView view, String name, PodView.Instances instances) {
        String shown = PodStatuses.told(view.pod(), name)
                .map(io.fabric8.kubernetes.api.model.ContainerStatus::getLastState)
                .map(ContainerState::getTerminated)
                .map(ContainerStateTerminated::getContainerID)
                .orElse("");
        return Stream.concat(Stream.of(instances.current()), instances.previous().stream())
                .filter(instance -> shown.endsWith("://" + instance.id()))
                .findFirst();
    }

    private static ApiException lost(String containerId) {
        return ApiException.badRequest("unable to retrieve container logs for " + containerId);
    }

    /** Why a container has no log of which nothing is here: it has not begun, never will, or has ended long ago. */
    private static ApiException withoutLog(PodView view, String name) {
        String which = "container \"" + name + "\" in pod \"" + PodFacts.name(view.pod()) + "\" ";
        var told = PodStatuses.told(view.pod(), name);
        if (told.isEmpty()) {
            return ApiException.badRequest(which + "is not available");
        }
        List<ContainerStateTerminated> ends = Stream.of(
                        Optional.ofNullable(told.get().getState()),
                        Optional.ofNullable(told.get().getLastState()))
                .flatMap(Optional::stream)
                .map(ContainerState::getTerminated)
                .filter(Objects::nonNull)
                .toList();
        if (!ends.isEmpty()) {
            return ends.stream()
                    .map(ContainerStateTerminated::getContainerID)
                    .filter(id -> id != null && !id.isEmpty())
                    .findFirst()
                    .map(AgentStreams::lost)
                    .orElseGet(() -> ApiException.badRequest(which + "is terminated"));
        }
        return ApiException.badRequest(which + "is waiting to start"
                + Optional.ofNullable(told.get().getState())
                        .map(ContainerState::getWaiting)
                        .map(waiting -> ": "
                                + switch (waiting.getReason()) {
                                    case "ErrImagePull" -> "image can't be pulled";
                                    case "ImagePullBackOff" -> "trying and failing to pull image";
                                    default -> waiting.getReason();
                                })
                        .orElse(" - no logs yet"));
    }
}
