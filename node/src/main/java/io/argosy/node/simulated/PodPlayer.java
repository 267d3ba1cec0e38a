package io.argosy.node.simulated;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.NamespacedName;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.Resources;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plays the pods of a fleet: each step of a pod's life is one write by a short-lived virtual thread, and between steps a pod costs
 * a map entry and, if its script asks for it, a timer.
 */
final class PodPlayer implements Informer.Handler<Pod> {
    private static final Logger LOG = LoggerFactory.getLogger(PodPlayer.class);
    private static final int AT_ONCE = 256;
    private static final Duration FIRST_RETRY = Duration.ofSeconds(1);
    private static final Duration FIRST_RESTART_DELAY = Duration.ofSeconds(10);
    private static final Duration LONGEST_RESTART_DELAY = Duration.ofMinutes(5);
    private static final int MANY = 30;

    private static final Duration FIRST_PULL_DELAY = Duration.ofSeconds(10);
    private static final Duration SHOWS_PULL_ERROR = Duration.ofSeconds(1);

    private final Fleet fleet;
    private final Scene scene;
    private final NodeClients clients;
    private final EventRecorder events;
    private final Clock clock;
    private final PodAddresses addresses;
    private final AttachedVolumes volumes;
    private final Map<String, Life> lives = new ConcurrentHashMap<>();
    private final Semaphore permits = new Semaphore(AT_ONCE);
    private final AtomicInteger unfinished = new AtomicInteger();
    private volatile boolean closed;

    PodPlayer(
            Fleet fleet, Scene scene, NodeClients clients, EventRecorder events, AttachedVolumes volumes, Clock clock) {
        this.fleet = fleet;
        this.scene = scene;
        this.clients = clients;
        this.events = events;
        this.volumes = volumes;
        this.clock = clock;
        addresses = new PodAddresses(fleet);
    }

    /** A step in a pod's life. */
    private enum Step {
        MOUNT,
        PULL,
        WAIT_TO_PULL,
        START,
        READY,
        EXIT,
        STOP
    }

    /** What is remembered of a pod between steps; its own monitor keeps its steps apart. */
    private static final class Life {
        private final int node;
        private final String podIp;
        private final List<Clock.Timer> timers = new ArrayList<>(0);
        /** Steps that fell due while the node was lost. */
        private final Set<Step> missed = EnumSet.noneOf(Step.class);

        private Pod pod;
        private Behaviour script;
        private boolean mounted;
        private int failedPulls;
        private boolean pulling;
        private Instant startedAt;
        private PodReport.Exit lastExit;
        private int restarts;
        private boolean running;
        private boolean ready;
        /** The pod has come to its own end; only its deletion can still happen. */
        private boolean finished;

        private boolean stopping;
        /** The pod is gone, or this player is closed. */
        private boolean ended;

        private Life(Pod pod, int node, String podIp, Behaviour script) {
            this.pod = pod;
            this.node = node;
            this.podIp = podIp;
            this.script = script;
        }
    }

    boolean idle() {
        return unfinished.get() == 0;
    }

    void close() {
        closed = true;
        for (Life life : lives.values()) {
            synchronized (life) {
                life.ended = true;
                life.timers.forEach(Clock.Timer::cancel);
            }
        }
    }

    @Override
    public void added(Pod pod) {
        int node = fleet.numberOf(pod.getSpec().getNodeName());
        if (node < 0 || isFinished(pod) && pod.getMetadata().getDeletionTimestamp() == null) {
            return;
        }
        String uid = pod.getMetadata().getUid();
        Life known = lives.get(uid);
        if (known == null) {
            boolean finished = isFinished(pod);
            Life life = new Life(pod, node, finished ? "" : addresses.take(node, pod), scene.of(pod));
            life.finished = finished;
            lives.put(uid, life);
            begin(life);
        } else {
            changed(known, pod);
        }
    }

    @Override
    public void updated(Pod before, Pod after) {
        if (!before.getMetadata().getUid().equals(after.getMetadata().getUid())) {
            deleted(before);
        } else if (!isFinished(before) && isFinished(after) && AttachedVolumes.concern(after)) {
            volumes.released(after);
        }
        added(after);
    }

    @Override
    public void deleted(Pod last) {
        Life life = lives.remove(last.getMetadata().getUid());
        if (life != null) {
            synchronized (life) {
                life.ended = true;
                life.timers.forEach(Clock.Timer::cancel);
                if (!life.finished) {
                    addresses.release(life.node, life.podIp);
                }
            }
        }
        if (AttachedVolumes.concern(last)) {
            volumes.released(last);
        }
    }

    /** Begins with a pod as it is found: new, or already played before this process was started. */
    private void begin(Life life) {
        Pod pod = life.pod;
        if (pod.getMetadata().getDeletionTimestamp() != null) {
            life.stopping = true;
            perform(life, Step.STOP);
            return;
        }
        if (pod.getStatus() == null || !"Running".equals(pod.getStatus().getPhase())) {
            if (AttachedVolumes.concern(pod)) {
                perform(life, Step.MOUNT);
            } else {
                prepare(life);
            }
            return;
        }
        List<ContainerStatus> statuses = pod.getStatus().getContainerStatuses();
        ContainerStatus first = statuses == null || statuses.isEmpty() ? null : statuses.getFirst();
        life.startedAt = startedAt(pod, first);
        life.restarts = first == null || first.getRestartCount() == null ? 0 : first.getRestartCount();
        life.running =
                first != null && first.getState() != null && first.getState().getRunning() != null;
        life.ready = first != null && Boolean.TRUE.equals(first.getReady());
        if (!life.running) {
            later(life, Duration.ZERO, Step.START);
            return;
        }
        Duration ran = Duration.between(life.startedAt, clock.now());
        if (!life.ready) {
            later(life, life.script.readyDelay().minus(ran), Step.READY);
        }
        life.script.exitAfter().ifPresent(after -> later(life, after.minus(ran), Step.EXIT));
    }

    /** May come more than once, as news of the volumes come. */
    private void mount(Life life) {
        if (!life.mounted && volumes.ready(life.node, life.pod, () -> perform(life, Step.MOUNT))) {
            life.mounted = true;
            prepare(life);
        }
    }

    private void prepare(Life life) {
        boolean toPull =
                life.script.pullDelay().isPositive() || life.script.pullError().isPresent();
        later(life, toPull ? Duration.ZERO : life.script.startDelay(), toPull ? Step.PULL : Step.START);
    }

    private Instant startedAt(Pod pod, ContainerStatus container) {
        if (container != null
                && container.getState() != null
                && container.getState().getRunning() != null
                && container.getState().getRunning().getStartedAt() != null) {
            return Instant.parse(container.getState().getRunning().getStartedAt());
        }
        return pod.getStatus().getStartTime() == null
                ? clock.now()
                : Instant.parse(pod.getStatus().getStartTime());
    }

    /** Goes on with the pods of a node that was lost: what fell due meanwhile happens now. */
    void resume(int node) {
        for (Life life : lives.values()) {
            List<Step> due;
            synchronized (life) {
                if (life.node != node) {
                    continue;
                }
                due = List.copyOf(life.missed);
                life.missed.clear();
            }
            due.forEach(step -> perform(life, step));
        }
    }

    private void changed(Life life, Pod pod) {
        boolean stop;
        boolean misjudged;
        synchronized (life) {
            life.pod = pod;
            stop = pod.getMetadata().getDeletionTimestamp() != null && !life.stopping;
            if (stop) {
                life.stopping = true;
                life.timers.forEach(Clock.Timer::cancel);
                life.timers.clear();
            }
            misjudged = life.ready && misjudged(life);
        }
        if (stop) {
            perform(life, Step.STOP);
        } else if (misjudged) {
            perform(life, Step.READY);
        }
    }

    /** Whether the pod is held to be ready when it is not, or the other way round: its gates turned, or its node was thought to be lost. */
    private boolean misjudged(Life life) {
        PodReport report = report(life);
        return report.conditionStatus("Ready") != null
                && report.gatesOpen() != "True".equals(report.conditionStatus("Ready"));
    }

    private void later(Life life, Duration delay, Step step) {
        if (!delay.isPositive()) {
            perform(life, step);
            return;
        }
        synchronized (life) {
            if (isDue(life, step)) {
                life.timers.add(clock.schedule(delay, () -> perform(life, step)));
            }
        }
    }

    private static boolean isDue(Life life, Step step) {
        return !life.ended && (step == Step.STOP || !life.stopping && !life.finished);
    }

    private void perform(Life life, Step step) {
        perform(life, step, FIRST_RETRY);
    }

    private void perform(Life life, Step step, Duration retryDelay) {
        if (scene.isLost(fleet.name(life.node))) {
            synchronized (life) {
                life.missed.add(step);
            }
            return;
        }
        unfinished.incrementAndGet();
        clock.hold();
        Thread.ofVirtual().name("simulated-pod").start(() -> {
            permits.acquireUninterruptibly();
            try {
                synchronized (life) {
                    if (isDue(life, step)) {
                        perform(step, life);
                    }
                }
            } catch (RuntimeException e) {
                failed(life, step, retryDelay, e);
            } finally {
                permits.release();
                unfinished.decrementAndGet();
                clock.release();
            }
        });
    }

    private void failed(Life life, Step step, Duration retryDelay, RuntimeException failure) {
        // A pod that is gone, or has been replaced by another of its name, needs no more reports.
        boolean gone = failure instanceof ApiException e && (e.is(Reason.NotFound) || e.is(Reason.Conflict));
        if (gone || closed) {
            return;
        }
        LOG.warn("{} of {} goes again in {}: {}", step, nameOf(life), retryDelay, failure.toString());
        Duration next = retryDelay.multipliedBy(2);
        synchronized (life) {
            life.timers.add(clock.schedule(
                    retryDelay,
                    () -> perform(
                            life, step, next.compareTo(LONGEST_RESTART_DELAY) > 0 ? LONGEST_RESTART_DELAY : next)));
        }
    }

    private void perform(Step step, Life life) {
        switch (step) {
            case MOUNT -> mount(life);
            case PULL -> pull(life);
            case WAIT_TO_PULL -> waitToPull(life);
            case START -> start(life);
            case READY -> {
                write(life, report(life).running(true));
                life.ready = true;
            }
            case EXIT -> exit(life);
            case STOP -> stop(life);
        }
    }

    private void pull(Life life) {
        life.script = scene.of(life.pod);
        String image = image(life);
        if (life.pulling) {
            life.pulling = false;
            later(life, life.script.startDelay(), Step.START);
            return;
        }
        events.event(life.pod, EventRecorder.Type.Normal, "Pulling", "Pulling image \"" + image + "\"");
        Optional<String> error = life.script.pullError();
        if (error.isPresent()) {
            write(life, report(life).waiting("ErrImagePull", error.get()));
            events.event(
                    life.pod,
                    EventRecorder.Type.Warning,
                    "Failed",
                    "Failed to pull image \"" + image + "\": " + error.get());
            events.event(life.pod, EventRecorder.Type.Warning, "Failed", "Error: ErrImagePull");
            later(life, SHOWS_PULL_ERROR, Step.WAIT_TO_PULL);
        } else {
            write(life, report(life).waiting("ContainerCreating", ""));
            life.pulling = true;
            later(life, life.script.pullDelay(), Step.PULL);
        }
    }

    private void waitToPull(Life life) {
        String message = "Back-off pulling image \"" + image(life) + "\"";
        String why =
                life.script.pullError().map(error -> ": ErrImagePull: " + error).orElse("");
        write(life, report(life).waiting("ImagePullBackOff", message + why));
        events.event(life.pod, EventRecorder.Type.Normal, "BackOff", message);
        events.event(life.pod, EventRecorder.Type.Warning, "Failed", "Error: ImagePullBackOff");
        life.failedPulls++;
        later(life, doubled(FIRST_PULL_DELAY, life.failedPulls - 1).minus(SHOWS_PULL_ERROR), Step.PULL);
    }

    private static String image(Life life) {
        return life.pod.getSpec().getContainers().getFirst().getImage();
    }

    private void start(Life life) {
        Behaviour script = life.script;
        life.startedAt = clock.now();
        boolean ready = script.readyDelay().isZero();
        write(life, report(life).running(ready));
        life.running = true;
        life.ready = ready;
        life.timers.clear();
        if (!ready) {
            later(life, script.readyDelay(), Step.READY);
        }
        script.exitAfter().ifPresent(after -> later(life, after, Step.EXIT));
    }

    private void exit(Life life) {
        int code = life.script.exitCode(life.restarts);
        life.timers.forEach(Clock.Timer::cancel);
        life.timers.clear();
        if (!Behaviour.restarts(life.pod, code)) {
            write(life, report(life).exited(code));
            life.running = false;
            life.finished = true;
            addresses.release(life.node, life.podIp);
            return;
        }
        life.lastExit = new PodReport.Exit(code, life.startedAt, clock.now());
        Duration delay = restartDelay(life.restarts);
        if (delay.isPositive()) {
            String container = life.pod.getSpec().getContainers().getFirst().getName();
            String message = "back-off " + delay.toSeconds() + "s restarting failed container=" + container + " pod="
                    + life.pod.getMetadata().getName() + "_"
                    + life.pod.getMetadata().getNamespace() + "("
                    + life.pod.getMetadata().getUid() + ")";
            write(life, report(life).backingOff(message));
        }
        life.running = false;
        life.ready = false;
        life.restarts++;
        later(life, delay, Step.START);
    }

    /** The first restart is free, then 10 s, 20 s ... 5 min, as kubelet does it. */
    private static Duration restartDelay(int restarts) {
        if (restarts == 0) {
            return Duration.ZERO;
        }
        return doubled(FIRST_RESTART_DELAY, restarts - 1);
    }

    private static Duration doubled(Duration first, int times) {
        Duration delay = first.multipliedBy(1L << Math.min(times, MANY));
        return delay.compareTo(LONGEST_RESTART_DELAY) > 0 ? LONGEST_RESTART_DELAY : delay;
    }

    private void stop(Life life) {
        if (life.running) {
            write(life, report(life).exited(0));
            life.running = false;
        }
        NamespacedName name = nameOf(life);
        clients.of(life.node, Pod.class)
                .delete(
                        name.namespace(),
                        name.name(),
                        new Resources.DeleteOptions(
                                0L, null, life.pod.getMetadata().getUid(), null));
    }

    private void write(Life life, ObjectNode patch) {
        NamespacedName name = nameOf(life);
        clients.of(life.node, Pod.class)
                .patchStatusOnly(name.namespace(), name.name(), Resources.PatchType.STRATEGIC, patch);
    }

    private PodReport report(Life life) {
        Instant started = life.startedAt == null ? clock.now() : life.startedAt;
        return new PodReport(
                life.pod,
                fleet.address(life.node),
                life.podIp,
                life.restarts,
                started,
                Optional.ofNullable(life.lastExit),
                clock.now());
    }

    private static NamespacedName nameOf(Life life) {
        return NamespacedName.of(
                life.pod.getMetadata().getNamespace(), life.pod.getMetadata().getName());
    }

    static boolean isFinished(Pod pod) {
        String phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
        return "Succeeded".equals(phase) || "Failed".equals(phase);
    }
}
