package io.argosy.scheduler;

import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.scheduler.plugin.ClusterChange;
import io.argosy.scheduler.queue.SchedulingQueue;
import io.argosy.scheduler.queue.SchedulingQueue.QueuedPod;
import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeSpec;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds a node for every pod that has none. One thread owns all state and decides for one pod after the other; what it hears from
 * informers and binders reaches it as messages, so nothing is locked. Bindings are written beside it, the pods counting as placed
 * meanwhile.
 */
public final class Scheduler implements AutoCloseable {
    public static final String NAME = "default-scheduler";

    private static final Logger LOG = LoggerFactory.getLogger(Scheduler.class);
    private static final Duration LOOK_FOR_LONG_WAITING = Duration.ofSeconds(30);

    private final Informers informers;
    private final Clock clock;
    private final PodWriter writer;
    private final Placement placement;
    private final ClusterState cluster = new ClusterState();
    private final SchedulingQueue queue = new SchedulingQueue();
    private final LinkedBlockingQueue<Runnable> inbox = new LinkedBlockingQueue<>();
    private final AtomicInteger unfinished = new AtomicInteger();
    private final AtomicLong scheduled = new AtomicLong();
    /** Pods placed here whose binding the informer has not shown yet. */
    private final Set<String> assumed = new HashSet<>();
    /** Pods whose binding failed and whose back-off is not over. */
    private final Set<String> failedBindings = new HashSet<>();

    private int promised;
    private boolean watchingLongWaiting;
    private Thread thread;

    public Scheduler(Client client, Informers informers, EventRecorder events, Clock clock) {
        this(client, informers, events, clock, new SplittableRandom());
    }

    /** One in which that lot decides between nodes that are equally good. */
    public Scheduler(Client client, Informers informers, EventRecorder events, Clock clock, SplittableRandom lot) {
        placement = Placement.standard(lot);
        this.informers = informers;
        this.clock = clock;
        writer = new PodWriter(client, events, clock);
        informers.of(Node.class).addHandler(new NodeHandler());
        informers.of(Pod.class).addHandler(new PodHandler());
    }

    /** Begins to schedule once the informers have their first lists. */
    public synchronized void start() {
        if (thread == null) {
            // A thread of the system: a long queue is pure computation, and would keep a carrier from all virtual
            // threads.
            thread = Thread.ofPlatform().daemon().name("scheduler").start(this::run);
        }
    }

    @Override
    public synchronized void close() {
        if (thread == null) {
            return;
        }
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** True when no message waits, no pod can be tried and no write is under way; pods that fit nowhere do not count. */
    public boolean idle() {
        return unfinished.get() == 0;
    }

    /** How many pods were bound since the start. */
    public long scheduled() {
        return scheduled.get();
    }

    // ---- the one thread ----

    private void run() {
        try {
            informers.awaitSync();
            List<Runnable> messages = new ArrayList<>();
            while (!Thread.currentThread().isInterrupted()) {
                if (!queue.hasWork()) {
                    messages.add(inbox.take());
                }
                inbox.drainTo(messages);
                for (Runnable message : messages) {
                    message.run();
                }
                if (queue.hasWork()) {
                    scheduleNext();
                }
                finish(messages.size());
                messages.clear();
            }
        } catch (InterruptedException e) {
            LOG.debug("scheduler stopped");
        }
    }

    /** Messages count as unfinished until the pods they brought have been tried. */
    private void finish(int handled) {
        promised += handled;
        if (!queue.hasWork()) {
            for (; promised > 0; promised--) {
                finished();
            }
        }
    }

    private void scheduleNext() {
        QueuedPod queued = queue.poll(clock.now());
        PodInfo pod = queued.pod();
        switch (placement.choose(pod, cluster)) {
            case Placement.Outcome.Node(NodeInfo node) -> {
                cluster.place(pod, node.name());
                assumed.add(pod.uid());
                bind(queued, node.name());
            }
            case Placement.Outcome.Nowhere(Diagnosis why) -> {
                queue.waitForChange(queued, why, clock.now());
                watchLongWaiting();
                beside(() -> writer.reportUnschedulable(pod, why.message()));
            }
        }
    }

    private void bind(QueuedPod queued, String node) {
        beside(() -> {
            if (writer.bind(queued.pod(), node)) {
                scheduled.incrementAndGet();
            } else {
                tell(() -> bindingFailed(queued));
            }
        });
    }

    /** A pod that was meanwhile deleted, or bound by somebody else, is no longer assumed and needs nothing. */
    private void bindingFailed(QueuedPod queued) {
        String uid = queued.pod().uid();
        if (!assumed.remove(uid)) {
            return;
        }
        cluster.remove(uid);
        queue.wake(ClusterChange.POD_REMOVED, clock.now());
        failedBindings.add(uid);
        clock.schedule(SchedulingQueue.backOff(queued), () -> tell(() -> retry(queued)));
    }

    private void retry(QueuedPod queued) {
        String uid = queued.pod().uid();
        if (failedBindings.remove(uid)) {
            informers
                    .of(Pod.class)
                    .get(queued.pod().name())
                    .filter(pod -> pod.getMetadata().getUid().equals(uid) && isOurs(pod))
                    .ifPresent(pod -> queue.retry(queued, new PodInfo(pod)));
        }
    }

    private void watchLongWaiting() {
        if (watchingLongWaiting) {
            return;
        }
        watchingLongWaiting = true;
        clock.schedule(
                LOOK_FOR_LONG_WAITING,
                () -> tell(() -> {
                    watchingLongWaiting = false;
                    queue.wakeLongWaiting(clock.now());
                    if (queue.hasUnschedulable()) {
                        watchLongWaiting();
                    }
                }));
    }

    private void tell(Runnable message) {
        begun();
        inbox.add(message);
    }

    private void beside(Runnable work) {
        begun();
        Thread.ofVirtual().name("binding").start(() -> {
            try {
                work.run();
            } finally {
                finished();
            }
        });
    }

    private void begun() {
        unfinished.incrementAndGet();
        clock.hold();
    }

    private void finished() {
        unfinished.decrementAndGet();
        clock.release();
    }

    // ---- pods ----

    private void podSeen(Pod pod, boolean changed) {
        String uid = pod.getMetadata().getUid();
        if (isFinished(pod)) {
            podGone(uid);
        } else if (isBound(pod)) {
            queue.remove(uid);
            assumed.remove(uid);
            failedBindings.remove(uid);
            cluster.place(new PodInfo(pod), pod.getSpec().getNodeName());
        } else if (isOurs(pod) && !cluster.isPlaced(uid) && !failedBindings.contains(uid)) {
            queue.offer(new PodInfo(pod), changed, clock.now());
        } else if (!isOurs(pod)) {
            queue.remove(uid);
        }
    }

    private void podGone(String uid) {
        queue.remove(uid);
        assumed.remove(uid);
        failedBindings.remove(uid);
        if (cluster.remove(uid)) {
            queue.wake(ClusterChange.POD_REMOVED, clock.now());
        }
    }

    /** A pod to schedule: for this scheduler, not on its way out, and not held back by gates. */
    private static boolean isOurs(Pod pod) {
        String scheduler = pod.getSpec().getSchedulerName();
        boolean gated = pod.getSpec().getSchedulingGates() != null
                && !pod.getSpec().getSchedulingGates().isEmpty();
        return (scheduler == null || scheduler.isEmpty() || scheduler.equals(NAME))
                && pod.getMetadata().getDeletionTimestamp() == null
                && !gated;
    }

    private static boolean isBound(Pod pod) {
        String node = pod.getSpec().getNodeName();
        return node != null && !node.isEmpty();
    }

    private static boolean isFinished(Pod pod) {
        String phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
        return "Succeeded".equals(phase) || "Failed".equals(phase);
    }

    private final class PodHandler implements Informer.Handler<Pod> {
        @Override
        public void added(Pod pod) {
            tell(() -> podSeen(pod, true));
        }

        @Override
        public void updated(Pod before, Pod after) {
            if (!before.getMetadata().getUid().equals(after.getMetadata().getUid())) {
                deleted(before);
                added(after);
                return;
            }
            boolean changed = changed(before, after);
            if (changed || !isBound(after) || isFinished(before) != isFinished(after)) {
                tell(() -> podSeen(after, changed));
            }
        }

        @Override
        public void deleted(Pod last) {
            tell(() -> podGone(last.getMetadata().getUid()));
        }

        /** Most updates of a pod are its node's reports and mean nothing here. */
        private static boolean changed(Pod before, Pod after) {
            Long generation = before.getMetadata().getGeneration();
            boolean sameSpec = generation != null
                            && generation.equals(after.getMetadata().getGeneration())
                            && Objects.equals(
                                    before.getSpec().getNodeName(),
                                    after.getSpec().getNodeName())
                    || before.getSpec().equals(after.getSpec());
            return !sameSpec
                    || !Objects.equals(
                            before.getMetadata().getDeletionTimestamp(),
                            after.getMetadata().getDeletionTimestamp())
                    || !Objects.equals(
                            before.getMetadata().getLabels(),
                            after.getMetadata().getLabels());
        }
    }

    // ---- nodes ----

    private final class NodeHandler implements Informer.Handler<Node> {
        @Override
        public void added(Node node) {
            tell(() -> {
                cluster.setNode(node);
                queue.wake(ClusterChange.NODE_ADDED, clock.now());
            });
        }

        @Override
        public void updated(Node before, Node after) {
            Set<ClusterChange> changes = changes(before, after);
            if (!changes.isEmpty()) {
                tell(() -> {
                    cluster.setNode(after);
                    changes.forEach(change -> queue.wake(change, clock.now()));
                });
            }
        }

        @Override
        public void deleted(Node last) {
            tell(() -> cluster.removeNode(last.getMetadata().getName()));
        }

        private static Set<ClusterChange> changes(Node before, Node after) {
            Set<ClusterChange> changes = EnumSet.noneOf(ClusterChange.class);
            if (!Objects.equals(
                    before.getMetadata().getLabels(), after.getMetadata().getLabels())) {
                changes.add(ClusterChange.NODE_LABELS);
            }
            NodeSpec old = before.getSpec() == null ? new NodeSpec() : before.getSpec();
            NodeSpec now = after.getSpec() == null ? new NodeSpec() : after.getSpec();
            if (!Objects.equals(old.getTaints(), now.getTaints())
                    || !Objects.equals(old.getUnschedulable(), now.getUnschedulable())) {
                changes.add(ClusterChange.NODE_TAINTS);
            }
            NodeStatus oldStatus = before.getStatus() == null ? new NodeStatus() : before.getStatus();
            NodeStatus nowStatus = after.getStatus() == null ? new NodeStatus() : after.getStatus();
            if (!Objects.equals(oldStatus.getAllocatable(), nowStatus.getAllocatable())) {
                changes.add(ClusterChange.NODE_ALLOCATABLE);
            }
            return changes;
        }
    }
}
