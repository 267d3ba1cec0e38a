package io.argosy.node.agent.pod;

import io.argosy.client.event.EventRecorder;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.resize.Allocation;
import io.argosy.node.agent.resize.ResizeMessages;
import io.argosy.node.agent.resize.Verdict;
import io.argosy.node.agent.resize.Verdict.Answer;
import io.argosy.node.agent.spec.Resizes;
import io.argosy.node.runtime.Sandbox;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Brings a change of the pod's resources forward: asks the node for them, says when the runtime has something to do for it, and tells
 * the world. The worker's thread alone uses it.
 */
final class PodResize {
    private static final Duration RETRY = Duration.ofSeconds(10);

    private final NodeParts parts;
    private final PodMemory memory;
    private final PodEvents events;
    private final Consumer<Runnable> post;
    private Allocation placed;
    private Instant retryAt = Instant.MIN;

    /** What comes later from other threads goes through the worker's mailbox. */
    PodResize(NodeParts parts, PodMemory memory, PodEvents events, Consumer<Runnable> post) {
        this.parts = parts;
        this.memory = memory;
        this.events = events;
        this.post = post;
        placed = memory.granted;
    }

    /** The pod is on this node, with what it was granted. */
    void begin() {
        if (!PodFacts.terminal(memory.pod)) {
            parts.allocations().hold(memory.pod);
            look();
        }
    }

    /** The pod may ask for other resources than before. */
    void look() {
        Pod wanted = memory.raw;
        if (memory.granted.satisfies(wanted)) {
            parts.allocations().withdraw(PodFacts.uid(wanted));
            memory.pending = Optional.empty();
        } else {
            parts.allocations().ask(wanted, verdict -> post.accept(() -> answered(wanted, verdict)));
        }
    }

    private void answered(Pod wanted, Verdict verdict) {
        if (memory.goingAway() || PodFacts.terminal(memory.pod)) {
            return;
        }
        long generation = PodFacts.generation(wanted);
        Instant now = parts.clock().now();
        if (verdict.answer() == Answer.GRANTED) {
            memory.pending = Optional.empty();
            memory.progress = Optional.of(new Resizing.Note("", "", generation, now));
            memory.grant(Allocation.of(wanted));
            retryAt = Instant.MIN;
            tell(EventRecorder.Type.Normal, "ResizeStarted", "Pod resize started", wanted, generation, "");
        } else if (generation == PodFacts.generation(memory.raw)) {
            String reason = verdict.answer().reason();
            boolean news = memory.pending
                    .filter(p -> p.reason().equals(reason) && p.generation() == generation)
                    .isEmpty();
            Resizing.Note note = new Resizing.Note(reason, verdict.message(), generation, now);
            memory.pending = Optional.of(note.after(memory.pending));
            if (news) {
                String what = "Pod resize " + reason;
                tell(EventRecorder.Type.Warning, "Resize" + reason, what, wanted, generation, verdict.message());
            }
        }
    }

    private void tell(EventRecorder.Type type, String reason, String what, Pod pod, long generation, String error) {
        events.pod(type, reason, ResizeMessages.of(what, pod, generation, error));
    }

    /** The sandbox was made for the pod as it was then. */
    void placed(Pod pod) {
        placed = Allocation.of(pod);
    }

    /** Whether the runtime has something to do before more containers may start. */
    boolean due(Instant now) {
        boolean stands =
                memory.sandbox.filter(s -> s.state() == Sandbox.State.READY).isPresent();
        return stands
                && !memory.busy
                && !memory.goingAway()
                && !retryAt.isAfter(now)
                && (differs(false) || (!restarts() && !placed.satisfies(memory.pod)));
    }

    /** Whether a container runs that has not what it was granted, and can be given it as it runs (or only by a new start). */
    private boolean differs(boolean byRestart) {
        for (String name : memory.running().keySet()) {
            ResourceRequirements has = memory.actual.get(name);
            Optional<Container> wanted = memory.granted.of(name).flatMap(g -> PodFacts.container(memory.pod, name));
            if (has != null
                    && wanted.isPresent()
                    && !Allocation.same(has, wanted.get().getResources())
                    && Resizes.needsRestart(wanted.get(), has) == byRestart) {
                return true;
            }
        }
        return false;
    }

    private boolean restarts() {
        return differs(true);
    }

    /** What the hands have to do now; ends with a message to the worker. */
    Runnable begin(PodHands hands) {
        memory.busy = true;
        Pod after = memory.pod;
        Allocation granted = memory.granted;
        Map<String, String> running = memory.running();
        Map<String, ResourceRequirements> had = new HashMap<>(placed.containers());
        had.putAll(memory.actual);
        Pod before = new Allocation(had).in(after);
        Sandbox sandbox = memory.sandbox.orElseThrow();
        boolean whole = !restarts();
        return () -> {
            try {
                hands.resize(before, after, sandbox, running, whole);
                post.accept(() -> done(granted, after, running, whole));
            } catch (RuntimeException e) {
                post.accept(() -> failed(e.getMessage() == null ? e.toString() : e.getMessage()));
            }
        };
    }

    private void done(Allocation granted, Pod after, Map<String, String> running, boolean whole) {
        memory.busy = false;
        placed = whole ? granted : placed;
        running.forEach((name, id) -> {
            boolean still = id.equals(memory.running().get(name)) && memory.actual.containsKey(name);
            Optional<Container> container = PodFacts.container(after, name);
            if (still && container.isPresent() && !Resizes.needsRestart(container.get(), memory.actual.get(name))) {
                granted.of(name).ifPresent(resources -> memory.actual.put(name, resources));
            }
        });
    }

    /** Nothing is given up: it is tried again until it can be done or is no longer wanted. */
    private void failed(String message) {
        memory.busy = false;
        Instant now = parts.clock().now();
        retryAt = now.plus(RETRY);
        long generation = memory.progress.map(Resizing.Note::generation).orElse(PodFacts.generation(memory.raw));
        Resizing.Note note = new Resizing.Note("Error", message, generation, now).after(memory.progress);
        boolean news = !memory.progress.equals(Optional.of(note));
        memory.progress = Optional.of(note);
        if (news) {
            tell(EventRecorder.Type.Warning, "ResizeError", "Pod resize error", memory.pod, generation, message);
        }
        parts.clock().schedule(RETRY, () -> post.accept(() -> {}));
    }

    /** Says so when all that was granted is there. */
    void settle() {
        boolean stands =
                memory.sandbox.filter(s -> s.state() == Sandbox.State.READY).isPresent();
        boolean there = !stands || placed.satisfies(memory.pod);
        if (memory.progress.isPresent() && there && !memory.busy && !differs(false) && !differs(true)) {
            long generation = memory.progress.get().generation();
            memory.progress = Optional.empty();
            tell(EventRecorder.Type.Normal, "ResizeCompleted", "Pod resize completed", memory.pod, generation, "");
            parts.allocations().hold(memory.pod);
        }
    }

    /** The pod takes nothing of the node any more. */
    void release() {
        memory.pending = Optional.empty();
        memory.progress = Optional.empty();
        parts.allocations().release(PodFacts.uid(memory.raw));
    }
}
