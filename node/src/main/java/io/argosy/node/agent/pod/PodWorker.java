package io.argosy.node.agent.pod;

import io.argosy.client.event.EventRecorder;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.resize.Allocation;
import io.argosy.node.agent.volume.PodVolumes;
import io.argosy.node.agent.volume.VolumeException;
import io.argosy.node.agent.work.Work;
import io.argosy.node.runtime.ContainerStatus;
import io.argosy.node.runtime.RuntimeFailure;
import io.argosy.node.runtime.Sandbox;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after one pod on this node: one virtual thread that sleeps on a mailbox, and for whatever arrives (a changed pod, an exit,
 * a probe's verdict, a timer) asks the plan what is missing and sets the hands to work.
 */
public final class PodWorker {
    private static final Logger LOG = LoggerFactory.getLogger(PodWorker.class);
    private static final Duration CONFIG_RETRY = Duration.ofSeconds(10);

    private final NodeParts parts;
    private final PodHands hands;
    private final PodProbes probes;
    private final StatusWriter writer;
    private final Runnable onDone;
    private final PodMemory memory;
    private final PodEvents events;
    private final Mailbox mailbox;
    private final PrepareRetry prepare = new PrepareRetry();
    private final WakeUp wakeUp;
    private final PodResize resize;
    private final PodStops stops;
    private final PodStarts starts;

    private boolean cleaning;
    private boolean done;
    private boolean ofManifest;
    private boolean undecided;
    private Pod mirror;
    private volatile PodView published;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final CompletableFuture<Void> halted = new CompletableFuture<>();

    /** The pod's sandboxes and containers that were found on the node, if it is not new here. */
    public PodWorker(
            NodeParts parts, Pod pod, List<Sandbox> sandboxes, List<ContainerStatus> containers, Runnable onDone) {
        this.parts = parts;
        this.onDone = onDone;
        mailbox = new Mailbox(parts.clock());
        hands = new PodHands(parts);
        writer = new StatusWriter(parts.client(), parts.clock(), fresh -> {});
        memory = new PodMemory(pod);
        memory.adopt(sandboxes, containers);
        events = new PodEvents(parts.events(), memory);
        probes = new PodProbes(parts, this::verdict);
        wakeUp = new WakeUp(parts.clock(), this::post);
        resize = new PodResize(parts, memory, events, this::post);
        stops = new PodStops(parts, memory, events, hands, this::refresh, this::post);
        starts = new PodStarts(parts, memory, events, hands, this::refresh, this::post);
        published = memory.view(parts.clock().now());
    }

    /** For a pod that the API server does not know; its status goes to a mirror once there is one. */
    public PodWorker ofManifest() {
        ofManifest = true;
        return this;
    }

    /** Nothing is begun for the pod until it is admitted or refused. */
    public PodWorker undecided() {
        undecided = true;
        return this;
    }

    public void start() {
        post(() -> {
            memory.all().forEach(c -> refresh(c.id()));
            if (!undecided) {
                resize.begin();
            }
        });
        Thread.ofVirtual().name("pod-" + PodFacts.name(memory.pod)).start(this::run);
    }

    // ---- what the worker is told ----

    /** The API server has a newer version of the pod. */
    public void update(Pod pod) {
        post(() -> {
            boolean newMetadata = !PodFacts.sameLabels(pod, memory.raw);
            boolean newResources = !Allocation.of(memory.raw).satisfies(pod);
            memory.take(pod);
            if (newResources) {
                resize.look();
            }
            if (newMetadata) {
                refreshVolumes();
            }
        });
    }

    /** The API server shows the pod by this mirror; by none if it is null. */
    public void mirrored(Pod shown) {
        post(() -> mirror = shown);
    }

    /** The API server no longer has the pod. */
    public void gone() {
        writer.gone();
        post(() -> memory.removed = true);
    }

    /** A container of this pod has ended. */
    public void exited(String containerId) {
        post(() -> refresh(containerId));
    }

    /** Looks again at what nobody reports: ends that nobody saw, content of volumes, the status the API server has. */
    public void resync() {
        post(() -> {
            memory.running().values().stream()
                    .filter(id -> parts.runtime()
                            .container(id)
                            .filter(c -> c.state() != ContainerStatus.State.RUNNING)
                            .isPresent())
                    .forEach(this::refresh);
            writer.compareAnew();
            refreshVolumes();
        });
    }

    /** Stops the pod without deleting it; its data stays, and it starts anew when the node comes back. */
    public void sleep(Duration grace) {
        writer.gone();
        post(() -> {
            memory.removed = true;
            memory.asleep = true;
            stops.limit(grace);
        });
    }

    /** Ends the pod as failed, within this grace if its own is longer. */
    public void evict(PodView.Ending why, Duration grace) {
        post(() -> {
            stops.limit(grace);
            end(why);
        });
    }

    /** The pod is taken in: from now on it is run. */
    public void admit() {
        post(() -> {
            resize.begin();
            undecided = false;
        });
    }

    /** The pod is not taken in: it fails before anything of it was begun, and takes no room from now on. */
    public void refuse(PodView.Ending why) {
        PodView.Ending ending = new PodView.Ending(why.reason(), "Pod was rejected: " + why.message(), true);
        published = published.ending(ending);
        post(() -> {
            events.pod(EventRecorder.Type.Warning, why.reason(), why.message());
            memory.ending = Optional.of(ending);
            undecided = false;
        });
    }

    /** Lets go of the pod and leaves it running. */
    public void abandon() {
        writer.gone();
        post(() -> {
            probes.closeAll();
            done = true;
        });
    }

    /** Opens when the worker has let go of the pod. */
    public CountDownLatch ended() {
        return ended;
    }

    /** Done when the pod has been ended for good and nothing of it runs. */
    public CompletableFuture<Void> halted() {
        return halted;
    }

    /** The newest state, for those who read. */
    public PodView view() {
        return published;
    }

    private void post(Runnable message) {
        mailbox.post(message);
    }

    // ---- the loop ----

    private void run() {
        try {
            mailbox.listen(() -> done, this::step, this::failed);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            probes.closeAll();
            wakeUp.cancel();
            resize.release();
            onDone.run();
            ended.countDown();
            halted.complete(null);
        }
    }

    /** What nobody expected costs a second, not the worker. */
    private void failed(RuntimeException e) {
        LOG.error("pod {} could not be brought forward; trying again", PodFacts.fullName(memory.pod), e);
        parts.clock().schedule(Duration.ofSeconds(1), () -> post(() -> {}));
    }

    private void step() {
        if (undecided && !memory.goingAway()) {
            return;
        }
        PodView view = memory.view(parts.clock().now());
        PodPlan plan = PodPlan.of(view);
        plan.ending().ifPresent(this::end);
        PodWaits.note(memory, plan.waits(), view.now(), events);
        if (memory.goingAway() || memory.ending.isPresent()) {
            starts.cancel();
            stops.ending();
        }
        plan.hook().forEach(name -> stops.hook(name).ifPresent(deed -> off("hook", deed)));
        plan.stop().forEach(this::stop);
        if (plan.makeSandbox()) {
            makeSandbox(view.now());
        } else if (resize.due(view.now())) {
            off("resize", resize.begin(hands));
        } else if (!plan.start().isEmpty()) {
            starts.begin(plan.start());
        }
        if (plan.cleanUp()) {
            cleanUp();
        }
        resize.settle();
        status();
        if (memory.removed && memory.erased) {
            done = true;
            return;
        }
        schedule(plan);
    }

    private void end(PodView.Ending ending) {
        if (memory.ending.isEmpty()) {
            boolean due = ending.equals(PodView.Ending.DEADLINE);
            EventRecorder.Type type = due ? EventRecorder.Type.Normal : EventRecorder.Type.Warning;
            events.pod(type, ending.reason(), ending.message());
            memory.ending = Optional.of(ending);
        }
    }

    private void status() {
        PodView view = memory.view(parts.clock().now());
        PodStatus status = parts.statuses().of(view);
        memory.made(status);
        if (PodFacts.terminal(memory.pod)) {
            resize.release();
        }
        published = memory.view(view.now());
        if (memory.ending.isPresent() && published.cleaned()) {
            halted.complete(null);
        }
        Pod shown = ofManifest ? mirror : memory.raw;
        if (memory.removed || shown == null) {
            return;
        }
        if (PodFacts.deleting(memory.pod) && memory.erased) {
            writer.finish(shown, status);
        } else {
            writer.offer(shown, status);
        }
    }

    private void schedule(PodPlan plan) {
        Instant next = plan.wakeAt().orElse(Instant.MAX);
        if (plan.makeSandbox() && prepare.at().isBefore(next) && !memory.busy) {
            next = prepare.at();
        }
        Instant change = PodWaits.nextChange(memory);
        wakeUp.at(change.isBefore(next) ? change : next);
    }

    // ---- deeds ----

    private void makeSandbox(Instant now) {
        if (prepare.at().isAfter(now)) {
            return;
        }
        memory.busy = true;
        Pod pod = memory.pod;
        int attempt = memory.sandboxAttempts;
        List<String> dead = List.copyOf(memory.sandboxIds);
        if (!dead.isEmpty()) {
            events.pod(
                    EventRecorder.Type.Normal,
                    "SandboxChanged",
                    "Pod sandbox changed, it will be killed and re-created.");
        }
        off("sandbox", () -> {
            try {
                Map<String, Path> ready = hands.volumes(pod, List.of());
                Sandbox made = hands.sandbox(pod, attempt, dead);
                post(() -> sandboxMade(pod, ready, made));
            } catch (VolumeException e) {
                post(() -> notPrepared(e.reason(), e.getMessage()));
            } catch (RuntimeException e) {
                Throwable shown = e instanceof RuntimeFailure ? null : e;
                LOG.warn("no sandbox for pod {}: {}", PodFacts.fullName(pod), e.getMessage(), shown);
                post(() -> notPrepared("FailedCreatePodSandBox", "Failed to create pod sandbox: " + e.getMessage()));
            }
        });
    }

    private void sandboxMade(Pod pod, Map<String, Path> ready, Sandbox made) {
        memory.busy = false;
        resize.placed(pod);
        starts.prepared(ready);
        memory.sandbox = Optional.of(made);
        memory.sandboxIds.add(made.id());
        memory.sandboxAttempts++;
        prepare.succeeded();
    }

    private void notPrepared(String reason, String message) {
        memory.busy = false;
        events.pod(EventRecorder.Type.Warning, reason, message);
        prepare.failed(parts.clock().now());
    }

    /** Reads a container anew from the runtime. */
    private void refresh(String id) {
        Optional<ContainerStatus> found =
                parts.runtime().container(id).map(c -> TerminationMessages.complete(memory.pod, c));
        if (found.isEmpty()) {
            return;
        }
        ContainerStatus container = found.get();
        memory.put(container, parts.clock().now());
        if (container.startedAt().isPresent()) {
            hands.showLog(container);
        }
        if (container.state() == ContainerStatus.State.RUNNING) {
            probes.begin(memory, container);
        } else {
            probes.end(container.id());
            memory.health.remove(container.name());
            memory.stopping.remove(container.name());
            parts.exited().accept(container.id());
            memory.sandbox = memory.sandbox.flatMap(s -> parts.runtime().sandbox(s.id()));
        }
    }

    private void verdict(PodView.Health health, String name) {
        post(() -> memory.heard(name, health));
    }

    private void stop(PodPlan.Stop stop) {
        memory.current(stop.container()).ifPresent(running -> probes.stopping(running.id()));
        off("stop", stops.begin(stop));
    }

    private void cleanUp() {
        if (cleaning) {
            return;
        }
        cleaning = true;
        boolean erase = memory.goingAway();
        boolean asleep = memory.asleep;
        boolean evicted = memory.ending.filter(PodView.Ending::isEviction).isPresent();
        Pod pod = memory.pod;
        List<String> sandboxes = List.copyOf(memory.sandboxIds);
        off("clean", () -> {
            try {
                if (asleep) {
                    hands.putToSleep(pod, sandboxes);
                } else if (erase || evicted) { // what it used is what the node is short of
                    hands.remove(pod, sandboxes);
                } else {
                    hands.retire(pod, sandboxes);
                }
                post(() -> {
                    cleaning = false;
                    memory.cleaned(erase);
                });
            } catch (RuntimeException e) {
                LOG.warn("cannot clean up after pod {}: {}", PodFacts.fullName(pod), e.toString());
                events.pod(EventRecorder.Type.Warning, "FailedKillPod", "error killing pod: " + e.getMessage());
                parts.clock().schedule(CONFIG_RETRY, () -> post(() -> cleaning = false));
            }
        });
    }

    private void refreshVolumes() {
        boolean none = memory.sandbox.isEmpty() || !PodVolumes.needsRefresh(memory.pod);
        if (none || memory.goingAway() || memory.ending.isPresent() || PodFacts.terminal(memory.pod)) {
            return;
        }
        Pod pod = memory.pod;
        List<String> ips = memory.podIps();
        off(
                "volumes",
                () -> hands.refreshVolumes(pod, ips)
                        .forEach(e -> events.pod(EventRecorder.Type.Warning, e.reason(), e.getMessage())));
    }

    private void off(String what, Runnable deed) {
        Work.begin(parts.clock(), what + "-" + PodFacts.name(memory.pod), deed);
    }
}
