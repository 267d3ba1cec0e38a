package io.argosy.node.agent.pod;

import io.argosy.client.event.EventRecorder;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.work.Work;
import io.argosy.node.runtime.ContainerStatus;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells containers of a pod to stop, within the grace that is left, and again when it could not be done. The worker's thread alone uses it. */
final class PodStops {
    private static final Logger LOG = LoggerFactory.getLogger(PodStops.class);
    private static final Duration RETRY = Duration.ofSeconds(10);

    private final NodeParts parts;
    private final PodMemory memory;
    private final PodEvents events;
    private final PodHands hands;
    private final Consumer<String> ended;
    private final Consumer<Runnable> post;
    private final Map<String, CompletableFuture<Void>> hooks = new HashMap<>();
    private Duration longest;
    private Instant endingSince;

    /** A container that has perhaps ended is read anew; what comes later from other threads goes through the worker's mailbox. */
    PodStops(
            NodeParts parts,
            PodMemory memory,
            PodEvents events,
            PodHands hands,
            Consumer<String> ended,
            Consumer<Runnable> post) {
        this.parts = parts;
        this.memory = memory;
        this.events = events;
        this.hands = hands;
        this.ended = ended;
        this.post = post;
    }

    /** From now on no container gets more than this. */
    void limit(Duration grace) {
        longest = grace;
    }

    /** From now on the pod ends: all its containers together have one grace. */
    void ending() {
        endingSince = endingSince == null ? parts.clock().now() : endingSince;
    }

    /** Begins the preStop hook of a container whose turn to stop comes later; what has to be done for it, if it has not begun. */
    Optional<Runnable> hook(String name) {
        ContainerStatus running = memory.current(name).orElseThrow();
        Pod pod = memory.pod;
        Optional<Container> container = PodFacts.container(pod, name);
        if (container.isEmpty() || memory.stopping.containsKey(name) || hooks.containsKey(running.id())) {
            return Optional.empty();
        }
        CompletableFuture<Void> done = new CompletableFuture<>();
        hooks.put(running.id(), done);
        Duration grace = left(Duration.ofSeconds(PodFacts.graceSeconds(pod)));
        String ip = ip();
        events.container(name, EventRecorder.Type.Normal, "Killing", "Stopping container " + name);
        return Optional.of(() -> {
            hands.preStop(pod, container.get(), running.id(), ip, grace);
            done.complete(null);
        });
    }

    /** What is left of the grace that all have together, and never so little that nothing could end in order. */
    private Duration left(Duration whole) {
        Duration grace = longest != null && longest.compareTo(whole) < 0 ? longest : whole;
        if (endingSince == null) {
            return grace;
        }
        Duration left = grace.minus(Duration.between(endingSince, parts.clock().now()));
        Duration least = grace.compareTo(PodHands.SHORTEST_STOP) < 0 ? grace : PodHands.SHORTEST_STOP;
        return left.compareTo(least) < 0 ? least : left;
    }

    private String ip() {
        return memory.podIps().isEmpty() ? "127.0.0.1" : memory.podIps().getFirst();
    }

    /** What has to be done for it off the worker's thread. */
    Runnable begin(PodPlan.Stop stop) {
        ContainerStatus running = memory.current(stop.container()).orElseThrow();
        boolean again = stop.message().isEmpty();
        Duration grace = again ? stop.grace() : left(stop.grace());
        memory.stopping.put(stop.container(), parts.clock().now().plus(grace));
        Pod pod = memory.pod;
        Optional<Container> container = PodFacts.container(pod, stop.container());
        CompletableFuture<Void> hooked = hooks.get(running.id());
        String ip = ip();
        if (!again && hooked == null) {
            events.container(stop.container(), EventRecorder.Type.Normal, "Killing", stop.message());
        }
        return () -> {
            try {
                if (again || container.isEmpty()) {
                    parts.runtime().stopContainer(running.id(), grace);
                } else if (hooked != null) {
                    hands.stopAfter(() -> Work.await(parts.clock(), hooked), running.id(), grace);
                } else {
                    hands.stop(pod, container.get(), running.id(), ip, grace);
                }
                post.accept(() -> ended.accept(running.id()));
            } catch (RuntimeException e) {
                LOG.warn("cannot stop {} of {}", stop.container(), PodFacts.fullName(pod), e);
                events.pod(EventRecorder.Type.Warning, "FailedKillPod", "error killing pod: " + e.getMessage());
                parts.clock().schedule(RETRY, () -> post.accept(() -> failed(stop.container(), running.id())));
            }
        };
    }

    private void failed(String container, String id) {
        memory.stopping.remove(container);
        ended.accept(id);
    }
}
