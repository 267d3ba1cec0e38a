package io.argosy.node.agent.pod;

import io.argosy.client.event.EventRecorder;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.pod.PodView.Wait;
import io.argosy.node.agent.resize.Allocation;
import io.argosy.node.agent.volume.VolumeException;
import io.argosy.node.agent.work.Work;
import io.argosy.node.runtime.ContainerStatus;
import io.argosy.node.runtime.Sandbox;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts containers of a pod, and notes what came of it. The worker's thread alone uses it. */
final class PodStarts {
    private static final Logger LOG = LoggerFactory.getLogger(PodStarts.class);
    private static final Duration CONFIG_RETRY = Duration.ofSeconds(10);

    private final NodeParts parts;
    private final PodMemory memory;
    private final PodEvents events;
    private final PodHands hands;
    private final Consumer<String> refresh;
    private final Consumer<Runnable> post;
    private Cancellation cancellation = new Cancellation();
    private Map<String, Path> volumes;

    /** A container that has begun is read anew; what comes later from other threads goes through the worker's mailbox. */
    PodStarts(
            NodeParts parts,
            PodMemory memory,
            PodEvents events,
            PodHands hands,
            Consumer<String> refresh,
            Consumer<Runnable> post) {
        this.parts = parts;
        this.memory = memory;
        this.events = events;
        this.hands = hands;
        this.refresh = refresh;
        this.post = post;
    }

    /** The pod's volumes are there. */
    void prepared(Map<String, Path> ready) {
        volumes = ready;
    }

    /** What is waited for (a pull) is not waited for any more. */
    void cancel() {
        cancellation.cancel();
    }

    /** Starts these containers, one after the other. */
    void begin(List<String> names) {
        memory.busy = true;
        cancellation = new Cancellation();
        Cancellation mine = cancellation;
        Pod pod = memory.pod;
        Sandbox sandbox = memory.sandbox.orElseThrow();
        Map<String, Path> known = volumes;
        PodMemory.Beginning beginning = memory.begin(names);
        off("start", () -> {
            try {
                beginning.halfMade().forEach(id -> parts.runtime().removeContainer(id));
                Map<String, Path> ready = known != null ? known : hands.volumes(pod, sandbox.addresses());
                post.accept(() -> volumes = ready);
                List<ContainerStarter.Order> orders = new ArrayList<>();
                for (String name : names) {
                    Container container = PodFacts.container(pod, name).orElseThrow();
                    orders.add(new ContainerStarter.Order(
                            pod, container, sandbox, ready, beginning.attempts().get(name)));
                }
                hands.start(orders, mine, new PodHands.Progress() {
                    @Override
                    public void starting(String name, String id) {
                        post.accept(() -> containerStarting(name, id));
                    }

                    @Override
                    public void started(String name, String id) {
                        post.accept(() -> containerStarted(pod, name, id));
                    }

                    @Override
                    public void notStarted(String name, String id, String why) {
                        post.accept(() -> containerNotStarted(pod, name, id, "RunContainerError", why, CONFIG_RETRY));
                    }

                    @Override
                    public void hookFailed(String name, String id, String why) {
                        post.accept(() -> containerNotStarted(pod, name, id, PodWaits.HOOK_FAILED, why, Duration.ZERO));
                    }

                    @Override
                    public void failed(String name, StartFailure failure) {
                        post.accept(() -> startFailed(pod, name, failure));
                    }
                });
            } catch (VolumeException e) {
                post.accept(() -> names.forEach(n -> waitFor(n, "ContainerCreating", e.getMessage(), CONFIG_RETRY)));
                events.pod(EventRecorder.Type.Warning, e.reason(), e.getMessage());
            } catch (RuntimeException e) {
                LOG.warn("containers of pod {} cannot be started", PodFacts.fullName(pod), e);
                post.accept(() -> names.forEach(
                        n -> waitFor(n, "CreateContainerError", String.valueOf(e.getMessage()), CONFIG_RETRY)));
            } finally {
                post.accept(() -> memory.busy = false);
            }
        });
    }

    /** It may be told to stop, but nobody probes it and nobody is told that it runs. */
    private void containerStarting(String name, String id) {
        Instant now = parts.clock().now();
        parts.runtime().container(id).ifPresent(container -> memory.put(container, now));
        memory.waits.compute(
                name,
                (n, before) ->
                        PodWaits.ofHook(before) ? before : new Wait(PodStatuses.begun(memory.pod), "", now, now));
    }

    private void containerStarted(Pod pod, String name, String id) {
        Allocation.of(pod).of(name).ifPresent(resources -> memory.actual.put(name, resources));
        memory.waits.remove(name);
        memory.failures.remove(name);
        refresh.accept(id);
        List<ContainerStatus> old = memory.dropOld(name);
        if (!old.isEmpty()) {
            off("prune", () -> hands.prune(old));
        }
    }

    /** It counts as one that has run and failed; why is shown until it is tried again, if it is. */
    private void containerNotStarted(Pod pod, String name, String id, String reason, String why, Duration delay) {
        containerStarted(pod, name, id);
        int code = memory.byId(id).map(c -> c.exitCode().orElse(0)).orElse(0);
        if (PodPlan.triesAgain(pod, name, code)) {
            waitFor(name, reason, why, delay);
        }
    }

    /** A container that meanwhile is to have another image waits for nothing. */
    private void startFailed(Pod tried, String name, StartFailure failure) {
        if (failure.isOfImage()) {
            events.container(name, EventRecorder.Type.Warning, "Failed", "Error: " + failure.reason());
        }
        memory.sandbox = memory.sandbox.flatMap(s -> parts.runtime().sandbox(s.id()));
        if (!PodFacts.sameImage(tried, memory.pod, name)) {
            return;
        }
        Duration delay = CONFIG_RETRY;
        if (failure.isOfRegistry()) {
            Instant now = parts.clock().now();
            BackOff backOff = BackOff.next(memory.failures.get(name), now, now);
            memory.failures.put(name, backOff);
            delay = backOff.delay();
        }
        waitFor(name, failure.reason(), failure.getMessage(), delay);
    }

    private void waitFor(String name, String reason, String message, Duration delay) {
        Instant now = parts.clock().now();
        memory.waits.put(name, new Wait(reason, message, now, now.plus(delay)));
    }

    private void off(String what, Runnable deed) {
        Work.begin(parts.clock(), what + "-" + PodFacts.name(memory.pod), deed);
    }
}
