package io.argosy.node.agent.pod;

import io.argosy.client.event.EventRecorder;
import io.argosy.node.agent.env.ConfigException;
import io.argosy.node.agent.env.DownwardValues;
import io.argosy.node.agent.env.Environment;
import io.argosy.node.agent.env.ServiceVariables;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.probe.CheckResult;
import io.argosy.node.agent.probe.Target;
import io.argosy.node.agent.spec.HostsFile;
import io.argosy.node.agent.spec.PodNames;
import io.argosy.node.agent.spec.Resizes;
import io.argosy.node.agent.spec.ResourceLimits;
import io.argosy.node.agent.spec.SandboxSpecs;
import io.argosy.node.agent.spec.SecurityContexts;
import io.argosy.node.agent.volume.ContainerDevices;
import io.argosy.node.agent.volume.ContainerMounts;
import io.argosy.node.agent.volume.SubPaths;
import io.argosy.node.agent.volume.VolumeException;
import io.argosy.node.image.Image;
import io.argosy.node.runtime.ContainerSpec;
import io.argosy.node.runtime.ContainerStatus;
import io.argosy.node.runtime.Mount;
import io.argosy.node.runtime.RuntimeFailure;
import io.argosy.node.runtime.Sandbox;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EphemeralContainer;
import io.fabric8.kubernetes.api.model.LifecycleHandler;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Starts one container of a pod: image, environment, mounts, the container itself, its postStart hook. */
final class ContainerStarter {
    private static final Duration HOOK_LIMIT = Duration.ofMinutes(10);

    private final NodeParts parts;
    private final PodImages images;

    ContainerStarter(NodeParts parts) {
        this.parts = parts;
        images = new PodImages(parts);
    }

    /**
     * What a start needs to know.
     *
     * @param volumes where each volume of the pod lies
     * @param attempt how often the container ran before
     */
    record Order(Pod pod, Container container, Sandbox sandbox, Map<String, Path> volumes, int attempt) {}

    /** Brings the container's image onto the node, and those that it mounts as volumes before. */
    Image image(Order order, Cancellation cancellation) throws StartFailure {
        for (Volume volume : order.pod.getSpec().getVolumes()) {
            boolean mounted = volume.getImage() != null
                    && order.container.getVolumeMounts().stream()
                            .anyMatch(m -> m.getName().equals(volume.getName()));
            if (mounted) {
                Image content = images.ensure(order.pod, volume.getImage(), cancellation);
                mount(order, volume, content);
            }
        }
        return images.ensure(order.pod, order.container, cancellation);
    }

    private void mount(Order order, Volume volume, Image content) throws StartFailure {
        try {
            parts.volumes().mountImage(order.pod, volume, content);
        } catch (VolumeException e) {
            throw failed(order, "CreateContainerError", e.getMessage(), e);
        }
    }

    /**
     * A container that was made.
     *
     * @param problem why it has ended already: what it is to run cannot be run
     */
    record Made(String id, Optional<String> problem) {}

    /** Makes and starts the container. */
    Made start(Order order, Image image) throws StartFailure {
        try (SubPaths subPaths = parts.volumes().subPaths(order.pod, order.container.getName())) {
            return start(order, spec(order, image, subPaths));
        } catch (ConfigException e) {
            throw failed(order, "CreateContainerConfigError", e.getMessage(), e);
        } catch (UncheckedIOException e) {
            throw failed(order, "CreateContainerConfigError", e.getCause().toString(), e);
        }
    }

    private Made start(Order order, ContainerSpec spec) throws StartFailure {
        parts.makers().acquireUninterruptibly();
        try {
            return make(order, spec);
        } finally {
            parts.makers().release();
        }
    }

    private Made make(Order order, ContainerSpec spec) throws StartFailure {
        String id;
        try {
            id = parts.runtime().createContainer(order.sandbox.id(), spec);
        } catch (RuntimeFailure e) {
            throw failed(order, "CreateContainerError", e.getMessage(), e);
        }
        event(order, EventRecorder.Type.Normal, "Created", "Container created");
        try {
            parts.runtime().startContainer(id);
        } catch (RuntimeFailure e) {
            boolean ran = parts.runtime()
                    .container(id)
                    .map(c -> c.state() == ContainerStatus.State.EXITED)
                    .orElse(false);
            if (ran) {
                event(order, EventRecorder.Type.Warning, "Failed", "Error: " + e.getMessage());
                return new Made(id, Optional.of(e.getMessage()));
            }
            parts.runtime().removeContainer(id);
            throw failed(order, "RunContainerError", e.getMessage(), e);
        }
        event(order, EventRecorder.Type.Normal, "Started", "Container started");
        return new Made(id, Optional.empty());
    }

    static boolean hasPostStart(Container container) {
        return container.getLifecycle() != null && container.getLifecycle().getPostStart() != null;
    }

    /** Runs the postStart hook, which it has; a container whose hook fails must be killed. */
    CheckResult postStart(Order order, String id) throws InterruptedException {
        Target target = new Target(id, ip(order), order.container);
        return parts.checks().hook(target, order.container.getLifecycle().getPostStart(), HOOK_LIMIT);
    }

    /** Why the container was killed right after its start, for its status; the events do not say it, because all may read them. */
    static String hookProblem(Order order, CheckResult result) {
        LifecycleHandler hook = order.container.getLifecycle().getPostStart();
        String what = hook.getExec() != null
                ? "Exec lifecycle hook ([" + String.join(" ", hook.getExec().getCommand()) + "])"
                : hook.getHttpGet() != null
                        ? "HTTP lifecycle hook ("
                                + Objects.toString(hook.getHttpGet().getPath(), "") + ")"
                        : "Sleep lifecycle hook (" + hook.getSleep().getSeconds() + ")";
        return what + " for Container \"" + order.container.getName() + "\" in Pod \"" + PodFacts.fullName(order.pod)
                + "\" failed - error: " + result.output();
    }

    private StartFailure failed(Order order, String reason, String message, Throwable cause) {
        event(order, EventRecorder.Type.Warning, "Failed", "Error: " + message);
        return new StartFailure(reason, message, cause);
    }

    private void event(Order order, EventRecorder.Type type, String reason, String message) {
        parts.events().event(PodFacts.reference(order.pod, order.container.getName()), type, reason, message);
    }

    /** Where the pod answers. */
    String ip(Order order) {
        return ips(order).isEmpty() ? "127.0.0.1" : ips(order).getFirst();
    }

    private List<String> ips(Order order) {
        return order.sandbox.hostNetwork() ? parts.config().addresses() : order.sandbox.addresses();
    }

    private ContainerSpec spec(Order order, Image image, SubPaths subPaths) {
        Pod pod = order.pod;
        Container container = order.container;
        DownwardValues downward =
                new DownwardValues(pod, ips(order), parts.config().addresses(), parts.allocatable());
        Map<String, String> services = ServiceVariables.of(
                PodFacts.namespace(pod),
                !Boolean.FALSE.equals(pod.getSpec().getEnableServiceLinks()),
                parts.services().apply(pod));
        Environment.Result env = new Environment(parts.configs(), downward, order.volumes).of(container, services);
        env.skipped()
                .forEach((origin, keys) -> event(
                        order,
                        EventRecorder.Type.Warning,
                        "InvalidEnvironmentVariableNames",
                        "Keys [" + String.join(", ", keys) + "] from the EnvFrom " + origin
                                + " were skipped since they are considered invalid environment variable names."));
        List<ContainerSpec.EnvVar> variables = new ArrayList<>();
        variables.add(new ContainerSpec.EnvVar("HOSTNAME", PodNames.hostname(pod, parts.config())));
        env.variables().forEach((name, value) -> variables.add(new ContainerSpec.EnvVar(name, value)));
        long memory =
                parts.allocatable().getOrDefault("memory", BigDecimal.ZERO).longValue();
        ContainerSpec.Builder spec = ContainerSpec.builder(container.getName(), image)
                .attempt(order.attempt)
                .command(env.expand(container.getCommand()))
                .args(env.expand(container.getArgs()))
                .env(variables)
                .mounts(mounts(order, env, subPaths))
                .devices(ContainerDevices.of(pod, container, order.volumes))
                .io(new ContainerSpec.Io(
                        Boolean.TRUE.equals(container.getTty()),
                        Boolean.TRUE.equals(container.getStdin()),
                        Boolean.TRUE.equals(container.getStdinOnce())))
                .labels(labels(order, image))
                .resources(ResourceLimits.of(pod, container, memory))
                .security(SecurityContexts.of(
                        pod, container, image, parts.config().home().resolve("seccomp")));
        if (container.getWorkingDir() != null && !container.getWorkingDir().isEmpty()) {
            spec.workingDir(container.getWorkingDir());
        }
        if (container.getLifecycle() != null && container.getLifecycle().getStopSignal() != null) {
            spec.stopSignal(container.getLifecycle().getStopSignal());
        }
        target(order).ifPresent(spec::processesOf);
        String messagePath = container.getTerminationMessagePath();
        spec.terminationMessagePath(
                messagePath == null || messagePath.isEmpty() ? "/dev/termination-log" : messagePath);
        return spec.build();
    }

    /** The container into whose processes one that was added for debugging wants to look. */
    private Optional<String> target(Order order) {
        return order.pod.getSpec().getEphemeralContainers().stream()
                .filter(c -> c.getName().equals(order.container.getName()))
                .map(EphemeralContainer::getTargetContainerName)
                .filter(name -> name != null && !name.isEmpty())
                .findFirst()
                .map(name -> parts.runtime().containers().stream()
                        .filter(c -> c.pod().uid().equals(PodFacts.uid(order.pod))
                                && c.name().equals(name)
                                && c.state() == ContainerStatus.State.RUNNING)
                        .map(ContainerStatus::id)
                        .findFirst()
                        .orElseThrow(() -> new ConfigException("unable to find target container " + name)));
    }

    private List<Mount> mounts(Order order, Environment.Result env, SubPaths subPaths) {
        List<Mount> mounts = new ArrayList<>(ContainerMounts.of(
                order.pod,
                order.container,
                order.volumes,
                env::expandWholly,
                subPaths,
                parts.runtime().info().features().recursiveReadOnly()));
        if (mounts.stream().noneMatch(m -> m.containerPath().equals("/etc/hosts"))) {
            mounts.add(Mount.of(hostsFile(order), "/etc/hosts"));
        }
        return mounts;
    }

    private Path hostsFile(Order order) {
        Pod pod = order.pod;
        Path file = parts.volumes().folder(PodFacts.uid(pod)).resolve("etc-hosts");
        try {
            String text = order.sandbox.hostNetwork()
                    ? HostsFile.ofHost(pod, Files.readString(Path.of("/etc/hosts")))
                    : HostsFile.of(
                            pod,
                            order.sandbox.addresses(),
                            PodNames.hostname(pod, parts.config()),
                            parts.config().clusterDomain());
            Files.createDirectories(file.getParent());
            if (!Files.exists(file) || !Files.readString(file).equals(text)) {
                Files.writeString(file, text);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return file;
    }

    private static Map<String, String> labels(Order order, Image image) {
        Map<String, String> labels = new HashMap<>();
        labels.put(SandboxSpecs.POD_NAME, PodFacts.name(order.pod));
        labels.put(SandboxSpecs.POD_NAMESPACE, PodFacts.namespace(order.pod));
        labels.put(SandboxSpecs.POD_UID, PodFacts.uid(order.pod));
        labels.put(SandboxSpecs.CONTAINER_NAME, order.container.getName());
        labels.put(PodStatuses.IMAGE_LABEL, order.container.getImage());
        labels.put(PodStatuses.RESOURCES_LABEL, Resizes.startedWith(order.container));
        labels.put(
                PodStatuses.IMAGE_ID_LABEL,
                image.repoDigests().isEmpty() ? image.id() : image.repoDigests().getFirst());
        return labels;
    }
}
