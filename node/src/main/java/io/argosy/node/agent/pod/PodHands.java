package io.argosy.node.agent.pod;

import io.argosy.client.event.EventRecorder;
import io.argosy.node.agent.env.DownwardValues;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.probe.CheckResult;
import io.argosy.node.agent.probe.Target;
import io.argosy.node.agent.spec.ResourceLimits;
import io.argosy.node.agent.spec.SandboxSpecs;
import io.argosy.node.files.Trees;
import io.argosy.node.image.Image;
import io.argosy.node.runtime.ContainerStatus;
import io.argosy.node.runtime.LinuxResources;
import io.argosy.node.runtime.RuntimeFailure;
import io.argosy.node.runtime.Sandbox;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.LifecycleHandler;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Does what the plan says, each deed a plain blocking method; decides nothing. Called off the worker's thread. */
final class PodHands {
    private static final Logger LOG = LoggerFactory.getLogger(PodHands.class);
    private static final Duration SHORTEST_STOP = Duration.ofSeconds(2);

    private final NodeParts parts;
    private final ContainerStarter starter;

    PodHands(NodeParts parts) {
        this.parts = parts;
        starter = new ContainerStarter(parts);
    }

    /** Where the pod's volumes lie, made ready. */
    Map<String, Path> volumes(Pod pod, List<String> podIps) {
        return parts.volumes().setUp(pod, downward(pod, podIps));
    }

    void refreshVolumes(Pod pod, List<String> podIps) {
        parts.volumes().refresh(pod, downward(pod, podIps));
    }

    private DownwardValues downward(Pod pod, List<String> podIps) {
        return new DownwardValues(pod, podIps, parts.config().addresses(), parts.allocatable());
    }

    /** Makes a sandbox; one that stood there before, dead, goes first. */
    Sandbox sandbox(Pod pod, int attempt, List<String> dead) {
        dead.forEach(id -> parts.runtime().stopSandbox(id));
        String handler = RuntimeHandlers.of(pod, parts.client());
        parts.makers().acquireUninterruptibly();
        try {
            return parts.runtime().runSandbox(SandboxSpecs.of(pod, attempt, parts.config(), parts.hostDns(), handler));
        } finally {
            parts.makers().release();
        }
    }

    /** Hears how starting goes, container by container. */
    interface Progress {
        void started(String name, String id);

        void failed(String name, StartFailure failure);
    }

    /** Starts containers one after the other; stops between two of them when cancelled. */
    void start(List<ContainerStarter.Order> orders, Cancellation cancellation, Progress progress) {
        for (ContainerStarter.Order order : orders) {
            if (cancellation.cancelled()) {
                return;
            }
            try {
                Image image = starter.image(order, cancellation);
                if (cancellation.cancelled()) {
                    return;
                }
                String id = starter.start(order, image);
                progress.started(order.container().getName(), id);
                postStart(order, id, progress);
            } catch (StartFailure failure) {
                progress.failed(order.container().getName(), failure);
            } catch (CancellationException e) {
                LOG.debug("start of {} was given up: {}", PodFacts.fullName(order.pod()), e.getMessage());
                return;
            } catch (RuntimeException e) {
                LOG.error("cannot start {} of {}", order.container().getName(), PodFacts.fullName(order.pod()), e);
                progress.failed(order.container().getName(), new StartFailure("CreateContainerError", e.toString(), e));
            }
        }
    }

    private void postStart(ContainerStarter.Order order, String id, Progress progress) {
        try {
            CheckResult hook = starter.postStart(order, id);
            if (!hook.ok()) {
                event(
                        order.pod(),
                        order.container().getName(),
                        EventRecorder.Type.Warning,
                        "FailedPostStartHook",
                        "PostStartHook failed");
                event(
                        order.pod(),
                        order.container().getName(),
                        EventRecorder.Type.Normal,
                        "Killing",
                        "FailedPostStartHook");
                stop(order.pod(), order.container(), id, "", Duration.ofSeconds(PodFacts.graceSeconds(order.pod())));
                progress.started(order.container().getName(), id);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Runs the preStop hook and stops the container within its grace. */
    void stop(Pod pod, Container container, String id, String ip, Duration grace) {
        Instant begun = parts.clock().now();
        LifecycleHandler hook = container.getLifecycle() == null
                ? null
                : container.getLifecycle().getPreStop();
        Duration left = grace;
        if (hook != null && grace.isPositive()) {
            try {
                CheckResult result = parts.checks().hook(new Target(id, ip, container), hook, grace);
                if (!result.ok()) {
                    event(
                            pod,
                            container.getName(),
                            EventRecorder.Type.Warning,
                            "FailedPreStopHook",
                            "PreStopHook failed");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
            left = grace.minus(Duration.between(begun, parts.clock().now()));
            left = left.compareTo(SHORTEST_STOP) < 0 ? SHORTEST_STOP : left;
        }
        parts.runtime().stopContainer(id, left);
    }

    /** Leaves what an ended pod wrote, and nothing that others wait for. */
    void retire(Pod pod, List<String> sandboxes) {
        sandboxes.forEach(id -> parts.runtime().stopSandbox(id));
        parts.volumes().release(PodFacts.uid(pod));
    }

    /** Leaves nothing of the pod on this node. */
    void remove(Pod pod, List<String> sandboxes) {
        sandboxes.forEach(id -> parts.runtime().removeSandbox(id));
        parts.volumes().tearDown(PodFacts.uid(pod));
        try {
            Trees.delete(SandboxSpecs.logFolder(parts.config(), pod));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Leaves the pod's data, but nothing that runs or is mounted. */
    void putToSleep(Pod pod, List<String> sandboxes) {
        sandboxes.forEach(id -> parts.runtime().removeSandbox(id));
        parts.volumes().unmount(PodFacts.uid(pod));
    }

    /** Gives running containers the limits that the pod now says, where they differ from those it said before. */
    void resize(Pod before, Pod after, Map<String, String> running) {
        long memory =
                parts.allocatable().getOrDefault("memory", BigDecimal.ZERO).longValue();
        running.forEach((name, id) -> {
            Optional<LinuxResources> was =
                    PodFacts.container(before, name).map(c -> ResourceLimits.of(before, c, memory));
            Optional<LinuxResources> now =
                    PodFacts.container(after, name).map(c -> ResourceLimits.of(after, c, memory));
            if (now.isPresent() && !now.equals(was)) {
                try {
                    parts.runtime().updateResources(id, now.get());
                } catch (RuntimeFailure e) {
                    event(after, name, EventRecorder.Type.Warning, "ResizeError", e.getMessage());
                }
            }
        });
    }

    /** Removes dead instances beyond the newest one. */
    void prune(List<ContainerStatus> old) {
        for (ContainerStatus container : old) {
            try {
                parts.runtime().removeContainer(container.id());
            } catch (RuntimeFailure e) {
                LOG.warn("cannot remove old container {}: {}", container.id(), e.getMessage());
            }
        }
    }

    private void event(Pod pod, String container, EventRecorder.Type type, String reason, String message) {
        parts.events().event(PodFacts.reference(pod, container), type, reason, message);
    }
}
