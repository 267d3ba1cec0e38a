package io.argosy.node.agent.pod;

import io.argosy.client.event.EventRecorder;
import io.argosy.node.agent.env.DownwardValues;
import io.argosy.node.agent.log.LogRotation;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.probe.CheckResult;
import io.argosy.node.agent.probe.Target;
import io.argosy.node.agent.resize.MemoryCheck;
import io.argosy.node.agent.spec.DnsLimits;
import io.argosy.node.agent.spec.PodNames;
import io.argosy.node.agent.spec.Resizes;
import io.argosy.node.agent.spec.ResourceLimits;
import io.argosy.node.agent.spec.SandboxSpecs;
import io.argosy.node.agent.volume.VolumeException;
import io.argosy.node.agent.work.Work;
import io.argosy.node.image.Image;
import io.argosy.node.runtime.ContainerStats;
import io.argosy.node.runtime.ContainerStatus;
import io.argosy.node.runtime.IdRange;
import io.argosy.node.runtime.LinuxResources;
import io.argosy.node.runtime.RuntimeFailure;
import io.argosy.node.runtime.Sandbox;
import io.argosy.node.runtime.SandboxStats;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.LifecycleHandler;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Does what the plan says, each deed a plain blocking method; decides nothing. Called off the worker's thread. */
final class PodHands {
    private static final Logger LOG = LoggerFactory.getLogger(PodHands.class);
    static final Duration SHORTEST_STOP = Duration.ofSeconds(2);

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

    /** Brings the content of volumes up to date, and answers what could not be. */
    List<VolumeException> refreshVolumes(Pod pod, List<String> podIps) {
        return parts.volumes().refresh(pod, downward(pod, podIps)).failures();
    }

    private DownwardValues downward(Pod pod, List<String> podIps) {
        return new DownwardValues(pod, podIps, parts.config().addresses(), parts.allocatable());
    }

    /** Makes a sandbox; one that stood there before, dead, goes first. */
    Sandbox sandbox(Pod pod, int attempt, List<String> dead) {
        dead.forEach(id -> parts.runtime().stopSandbox(id));
        String handler = RuntimeHandlers.of(pod, parts.client());
        DnsLimits.of(PodNames.dns(pod, parts.config(), parts.hostDns()))
                .omitted()
                .forEach(message -> parts.events()
                        .event(PodFacts.reference(pod), EventRecorder.Type.Warning, "DNSConfigForming", message));
        parts.makers().acquireUninterruptibly();
        try {
            Optional<IdRange> users = parts.users().of(pod, handler);
            parts.config().logs().make(pod);
            return parts.runtime()
                    .runSandbox(SandboxSpecs.of(pod, attempt, parts.config(), parts.hostDns(), handler, users));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            parts.makers().release();
        }
    }

    /** Hears how starting goes, container by container. */
    interface Progress {
        /** It runs, but does not count before its hook has ended. */
        void starting(String name, String id);

        void started(String name, String id);

        /** It was made, and has ended because what it is to run cannot be run. */
        void notStarted(String name, String id, String why);

        /** It ran, but its hook failed and it was stopped for that. */
        void hookFailed(String name, String id, String why);

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
                ContainerStarter.Made made = starter.start(order, image);
                String id = made.id();
                if (made.problem().isPresent()) {
                    progress.notStarted(
                            order.container().getName(), id, made.problem().get());
                    continue;
                }
                if (ContainerStarter.hasPostStart(order.container())) {
                    progress.starting(order.container().getName(), id);
                    Optional<String> problem = postStart(order, id, cancellation);
                    if (problem.isPresent()) {
                        progress.hookFailed(order.container().getName(), id, problem.get());
                        continue;
                    }
                }
                progress.started(order.container().getName(), id);
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

    /** Waits for the hook, or until the pod goes away; a container whose hook fails is stopped, and why is the answer. */
    private Optional<String> postStart(ContainerStarter.Order order, String id, Cancellation cancellation) {
        CompletableFuture<CheckResult> work = new CompletableFuture<>();
        Work.begin(parts.clock(), "hook-" + PodFacts.name(order.pod()), () -> {
            try {
                work.complete(starter.postStart(order, id));
            } catch (InterruptedException | RuntimeException e) {
                LOG.warn("postStart hook of {}", PodFacts.fullName(order.pod()), e);
                work.complete(CheckResult.failed(e.toString()));
            }
        });
        CheckResult result = cancellation.await(parts.clock(), work);
        tellFallback(order.pod(), result);
        if (result.ok()) {
            return Optional.empty();
        }
        String name = order.container().getName();
        event(order.pod(), name, EventRecorder.Type.Warning, "FailedPostStartHook", "PostStartHook failed");
        event(order.pod(), name, EventRecorder.Type.Normal, "Killing", "FailedPostStartHook");
        Duration grace = Duration.ofSeconds(PodFacts.graceSeconds(order.pod()));
        stop(order.pod(), order.container(), id, starter.ip(order), grace);
        return Optional.of(ContainerStarter.hookProblem(order, result));
    }

    /** Runs the preStop hook and stops the container within its grace. */
    void stop(Pod pod, Container container, String id, String ip, Duration grace) {
        boolean hooked =
                container.getLifecycle() != null && container.getLifecycle().getPreStop() != null && grace.isPositive();
        if (hooked) {
            stopAfter(() -> preStop(pod, container, id, ip, grace), id, grace);
        } else {
            parts.runtime().stopContainer(id, grace);
        }
    }

    /** Stops the container when the hook has ended, in what that leaves of the grace. */
    void stopAfter(Runnable hook, String id, Duration grace) {
        Instant begun = parts.clock().now();
        hook.run();
        Duration left = grace.minus(Duration.between(begun, parts.clock().now()));
        parts.runtime().stopContainer(id, left.compareTo(SHORTEST_STOP) < 0 ? SHORTEST_STOP : left);
    }

    /** However it goes, the container is stopped then. */
    void preStop(Pod pod, Container container, String id, String ip, Duration grace) {
        boolean well = false;
        try {
            LifecycleHandler hook = container.getLifecycle().getPreStop();
            CheckResult result = parts.checks().hook(new Target(id, ip, container), hook, grace);
            tellFallback(pod, result);
            well = result.ok();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.warn("preStop hook of {}", PodFacts.fullName(pod), e);
        }
        if (!well) {
            event(pod, container.getName(), EventRecorder.Type.Warning, "FailedPreStopHook", "PreStopHook failed");
        }
    }

    /** A hook that was asked for over TLS and answered without is well, but somebody should know. */
    private void tellFallback(Pod pod, CheckResult result) {
        if (result.kind() == CheckResult.Kind.WARNING) {
            parts.events()
                    .event(
                            PodFacts.reference(pod),
                            EventRecorder.Type.Warning,
                            "LifecycleHTTPFallback",
                            result.output());
        }
    }

    /** Leaves what an ended pod said; its volumes, and what they take of disk and memory, are for others. */
    void retire(Pod pod, List<String> sandboxes) {
        sandboxes.forEach(id -> parts.runtime().stopSandbox(id));
        parts.volumes().tearDown(PodFacts.uid(pod));
    }

    /** Leaves nothing of the pod on this node. */
    void remove(Pod pod, List<String> sandboxes) {
        sandboxes.forEach(id -> parts.runtime().removeSandbox(id));
        parts.users().release(PodFacts.uid(pod));
        parts.volumes().tearDown(PodFacts.uid(pod));
        try {
            parts.config().logs().remove(PodFacts.uid(pod));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Shows a container's log to those who collect logs. */
    void showLog(ContainerStatus container) {
        try {
            parts.config().logs().link(container);
        } catch (IOException e) {
            LOG.warn("log of container {} cannot be shown: {}", container.id(), e.toString());
        }
    }

    /** Leaves the pod's data, but nothing that runs or is mounted. */
    void putToSleep(Pod pod, List<String> sandboxes) {
        sandboxes.forEach(id -> parts.runtime().removeSandbox(id));
        parts.users().release(PodFacts.uid(pod));
        parts.volumes().unmount(PodFacts.uid(pod));
        try {
            parts.config().logs().leave(PodFacts.uid(pod));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Gives the pod and its running containers the limits that the pod now says, where they differ from those it said before. What
     * grows, grows from outside, and what shrinks, from inside: the limit of the pod holds for its containers. A container that must be
     * started anew for it is left alone. Throws {@link RuntimeFailure}; what was done by then stays.
     *
     * @param whole whether the pod as a whole may shrink now
     */
    void resize(Pod before, Pod after, Sandbox sandbox, Map<String, String> running, boolean whole) {
        LinuxResources was = SandboxSpecs.podLimits(before, parts.config());
        LinuxResources now = SandboxSpecs.podLimits(after, parts.config());
        List<Change> changes = changes(before, after, running);
        MemoryCheck check = new MemoryCheck();
        if (whole) {
            check.pod(
                    was.memoryLimit(),
                    now.memoryLimit(),
                    used(parts.runtime().sandboxStats(sandbox.id()).map(SandboxStats::usage)));
        }
        changes.forEach(change -> check.container(
                change.name,
                change.before.memoryLimit(),
                change.after.memoryLimit(),
                used(parts.runtime().containerUsage(change.id))));
        check.problem().ifPresent(problem -> {
            throw new RuntimeFailure(RuntimeFailure.Kind.INVALID, problem);
        });
        parts.runtime().updateSandboxResources(sandbox.id(), ResourceLimits.most(was, now));
        changes.forEach(change -> parts.runtime().updateResources(change.id, change.after));
        if (whole) {
            parts.runtime().updateSandboxResources(sandbox.id(), now);
        }
    }

    /** What one running container has, and is to have. */
    private record Change(String name, String id, LinuxResources before, LinuxResources after) {}

    private List<Change> changes(Pod before, Pod after, Map<String, String> running) {
        long memory =
                parts.allocatable().getOrDefault("memory", BigDecimal.ZERO).longValue();
        List<Change> changes = new ArrayList<>();
        running.forEach((name, id) -> {
            Optional<Container> was = PodFacts.container(before, name);
            Optional<Container> now = PodFacts.container(after, name);
            if (was.isPresent()
                    && now.isPresent()
                    && !Resizes.needsRestart(now.get(), was.get().getResources())) {
                Change change = new Change(
                        name,
                        id,
                        ResourceLimits.of(before, was.get(), memory),
                        ResourceLimits.of(after, now.get(), memory));
                if (!change.before.equals(change.after)) {
                    changes.add(change);
                }
            }
        });
        return changes;
    }

    private static OptionalLong used(Optional<ContainerStats.Usage> usage) {
        return usage.map(u -> OptionalLong.of(u.memoryBytes())).orElse(OptionalLong.empty());
    }

    /** Removes dead instances beyond the newest one, with their logs. */
    void prune(List<ContainerStatus> old) {
        for (ContainerStatus container : old) {
            try {
                parts.runtime().removeContainer(container.id());
                LogRotation.remove(container.logPath());
                parts.config().logs().unlink(container);
            } catch (RuntimeFailure | IOException e) {
                LOG.warn("cannot remove old container {}: {}", container.id(), e.getMessage());
            }
        }
    }

    private void event(Pod pod, String container, EventRecorder.Type type, String reason, String message) {
        parts.events().event(PodFacts.reference(pod, container), type, reason, message);
    }
}
