package io.argosy.scheduler;

import io.argosy.api.metrics.MetricSource;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.scheduler.plugin.ClusterEvent;
import io.argosy.scheduler.plugin.ClusterEvent.Kind;
import io.argosy.scheduler.preempt.Candidate;
import io.argosy.scheduler.preempt.Preemption;
import io.argosy.scheduler.queue.SchedulingQueue;
import io.argosy.scheduler.queue.SchedulingQueue.QueuedPod;
import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import io.argosy.scheduler.volume.InformedStorage;
import io.argosy.scheduler.volume.VolumeLedger;
import io.argosy.scheduler.volume.VolumePlan;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds a node for every pod that has none. One thread owns all state and decides for one pod after the other; what it hears from
 * informers and writers reaches it as messages, so nothing is locked. Bindings, evictions and reports are written beside it, the
 * pods counting as placed meanwhile.
 */
public final class Scheduler implements AutoCloseable {
    public static final String NAME = "default-scheduler";

    private static final Logger LOG = LoggerFactory.getLogger(Scheduler.class);
    private static final Duration LOOK_FOR_LONG_WAITING = Duration.ofSeconds(30);

    private final Informers informers;
    private final Informer<PodDisruptionBudget> budgets;
    private final Clock clock;
    private final Map<String, Desk> desks = new HashMap<>();
    private final SchedulerMetrics metrics;
    private final Preemption preemption;
    private final VolumeWaits volumeWaits;
    private final ClusterState cluster = new ClusterState();
    private final SchedulingQueue queue = new SchedulingQueue();
    private final LinkedBlockingQueue<Runnable> inbox = new LinkedBlockingQueue<>();
    private final AtomicInteger unfinished = new AtomicInteger();
    private final AtomicLong scheduled = new AtomicLong();
    /** Pods placed here whose binding the informer has not shown yet. */
    private final Set<String> assumed = new HashSet<>();
    /** Pods whose binding failed and whose back-off is not over. */
    private final Set<String> failedBindings = new HashSet<>();
    /** Pods that this scheduler has begun to evict. */
    private final Set<String> leaving = new HashSet<>();

    private int promised;
    private boolean watchingLongWaiting;
    private Thread thread;

    /** Where the pods of one schedulerName are served. */
    private record Desk(Profile profile, Placement placement, PodWriter writer) {}

    public Scheduler(Client client, Informers informers, EventRecorder events, Clock clock) {
        this(client, informers, events, clock, new SplittableRandom());
    }

    /** One in which that lot decides between nodes that are equally good. */
    public Scheduler(Client client, Informers informers, EventRecorder events, Clock clock, SplittableRandom lot) {
        this(client, informers, name -> events, clock, List.of(Profile.DEFAULT), lot);
    }

    /** Serves the pods of several schedulerNames, each with the recorder for its name; those of others are left alone. */
    public Scheduler(
            Client client,
            Informers informers,
            Function<String, EventRecorder> events,
            Clock clock,
            List<Profile> profiles,
            SplittableRandom lot) {
        this.informers = informers;
        this.clock = clock;
        budgets = informers.of(PodDisruptionBudget.class);
        VolumeLedger ledger = new VolumeLedger();
        Profile.Ground ground = new Profile.Ground(new InformedStorage(informers), ledger, new Likes(informers));
        for (Profile profile : profiles) {
            PodWriter writer = new PodWriter(client, events.apply(profile.schedulerName()), clock);
            desks.put(profile.schedulerName(), new Desk(profile, profile.placement(ground, lot), writer));
        }
        metrics = new SchedulerMetrics(desks.keySet());
        preemption = new Preemption(lot);
        volumeWaits = new VolumeWaits(client, ground.storage(), ledger, clock, new VolumeWaits.Thread() {
            @Override
            public void tell(Runnable message) {
                Scheduler.this.tell(message);
            }

            @Override
            public void beside(Runnable work) {
                Scheduler.this.beside(work);
            }
        });
        new ClusterFeed(this::tell, new Ears()).open(informers);
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

    /** What a metrics page shows of it. */
    public MetricSource metrics() {
        return metrics;
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
                    listen(message);
                }
                if (queue.hasWork()) {
                    scheduleNext();
                }
                metrics.pending(queue.lengths());
                finish(messages.size());
                messages.clear();
            }
        } catch (InterruptedException e) {
            LOG.debug("scheduler stopped");
        }
    }

    /** An object that cannot be understood must not keep all others from being scheduled. */
    private static void listen(Runnable message) {
        try {
            message.run();
        } catch (RuntimeException e) {
            LOG.error("news of the cluster could not be understood", e);
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

    private void begun() {
        unfinished.incrementAndGet();
        clock.hold();
    }

    private void finished() {
        unfinished.decrementAndGet();
        clock.release();
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

    private void scheduleNext() {
        QueuedPod queued = queue.poll(clock.now());
        long begin = System.nanoTime();
        SchedulerMetrics.Outcome outcome = SchedulerMetrics.Outcome.ERROR;
        try {
            outcome = schedule(queued);
        } catch (RuntimeException e) {
            LOG.error("{} could not be scheduled", queued.pod(), e);
            PodWriter writer = desk(queued.pod().pod()).writer;
            beside(() -> writer.reportError(queued.pod(), e.toString()));
            queue.waitForChange(queued, new Diagnosis(0), clock.now());
            watchLongWaiting();
        }
        String profile = desk(queued.pod().pod()).profile.schedulerName();
        metrics.attempted(profile, outcome, System.nanoTime() - begin);
    }

    private SchedulerMetrics.Outcome schedule(QueuedPod queued) {
        PodInfo pod = queued.pod();
        Desk desk = desk(pod.pod());
        switch (desk.placement.choose(pod, cluster)) {
            case Placement.Outcome.Node(var node, var preparations) -> {
                cluster.place(pod, node.name());
                assumed.add(pod.uid());
                if (preparations.isEmpty()) {
                    bind(queued, node.name());
                } else {
                    preparations.forEach(preparation -> bindVolumes(queued, (VolumePlan) preparation));
                }
                return SchedulerMetrics.Outcome.SCHEDULED;
            }
            case Placement.Outcome.Nowhere(var attempt, var why) -> {
                if (attempt != null && desk.profile.preempts()) {
                    preempt(attempt, why);
                }
                queue.waitForChange(queued, why, clock.now());
                watchLongWaiting();
                String nomination = cluster.nomination(pod.uid());
                beside(() -> desk.writer.reportUnschedulable(pod, why.message(), nomination));
                return SchedulerMetrics.Outcome.UNSCHEDULABLE;
            }
        }
    }

    private Desk desk(Pod pod) {
        String name = pod.getSpec().getSchedulerName();
        return desks.get(name == null || name.isEmpty() ? NAME : name);
    }

    // ---- binding ----

    private void bind(QueuedPod queued, String node) {
        PodWriter writer = desk(queued.pod().pod()).writer;
        beside(() -> {
            if (writer.bind(queued.pod(), node)) {
                scheduled.incrementAndGet();
            } else {
                tell(() -> bindingFailed(queued));
            }
        });
    }

    private void bindVolumes(QueuedPod queued, VolumePlan plan) {
        PodInfo pod = queued.pod();
        PodWriter writer = desk(pod.pod()).writer;
        beside(() -> writer.nominate(pod, plan.node()));
        volumeWaits.begin(pod.uid(), plan, () -> bind(queued, plan.node()), why -> {
            beside(() -> writer.reportError(pod, why));
            bindingFailed(queued);
        });
    }

    /** A pod that was meanwhile deleted, or bound by somebody else, is no longer assumed and needs nothing. */
    private void bindingFailed(QueuedPod queued) {
        String uid = queued.pod().uid();
        if (!assumed.remove(uid)) {
            return;
        }
        cluster.remove(uid);
        wake(new ClusterEvent.OfPod(Kind.POD_GONE, queued.pod()));
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

    // ---- preemption ----

    private void preempt(Attempt attempt, Diagnosis why) {
        PodInfo pod = attempt.pod();
        switch (preemption.find(attempt, why, cluster, budgets.list(), other -> leaving.contains(other.uid()))) {
            case Preemption.Outcome.Evict(var candidate) -> evict(pod, candidate);
            case Preemption.Outcome.NotEligible(var reason) -> why.preemption(reason);
            case Preemption.Outcome.Nobody(var reason) -> {
                why.preemption(reason);
                cluster.denominate(pod.uid());
            }
        }
    }

    private void evict(PodInfo pod, Candidate candidate) {
        String node = candidate.node().name();
        PodWriter writer = desk(pod.pod()).writer;
        // Less important pods for which the node was being cleared will hardly fit any more; they look for another.
        for (PodInfo other : List.copyOf(candidate.node().nominated())) {
            if (other.priority() < pod.priority()) {
                cluster.denominate(other.uid());
                queue.wake(other.uid(), clock.now());
                beside(() -> writer.nominate(other, ""));
            }
        }
        cluster.nominate(pod, node);
        for (PodInfo victim : candidate.victims()) {
            if (!victim.isTerminating() && leaving.add(victim.uid())) {
                beside(() -> {
                    if (!writer.evict(victim, pod, node)) {
                        tell(() -> evictionFailed(victim, pod));
                    }
                });
            }
        }
    }

    private void evictionFailed(PodInfo victim, PodInfo pod) {
        leaving.remove(victim.uid());
        queue.wake(pod.uid(), clock.now());
    }

    // ---- waiting ----

    private void wake(ClusterEvent event) {
        queue.wake(event, cluster, clock.now());
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

    /** A pod to schedule: for this scheduler, not on its way out, and not held back by gates. */
    private boolean isOurs(Pod pod) {
        boolean gated = pod.getSpec().getSchedulingGates() != null
                && !pod.getSpec().getSchedulingGates().isEmpty();
        return desk(pod) != null && pod.getMetadata().getDeletionTimestamp() == null && !gated;
    }

    /** What the one thread does with news. */
    private final class Ears implements ClusterFeed.Listener {
        @Override
        public void podSeen(Pod pod, boolean changed) {
            String uid = pod.getMetadata().getUid();
            if (ClusterFeed.isFinished(pod)) {
                podGone(pod);
            } else if (ClusterFeed.isBound(pod)) {
                boundPodSeen(new PodInfo(pod));
            } else if (isOurs(pod) && !cluster.isPlaced(uid) && !failedBindings.contains(uid)) {
                PodInfo info = new PodInfo(pod);
                nominated(info, queue.offer(info, changed, clock.now()));
            } else if (!isOurs(pod)) {
                queue.remove(uid);
                cluster.denominate(uid);
            }
        }

        /**
         * Nominations outlive a restart of the scheduler, and other programs may make or withdraw them; what this scheduler has
         * decided but not yet read again stays.
         */
        private void nominated(PodInfo pod, PodInfo before) {
            String written = pod.nominatedNode();
            boolean news = !written.equals(before == null ? "" : before.nominatedNode());
            String node = news ? written : cluster.nomination(pod.uid());
            if (node.isEmpty()) {
                cluster.denominate(pod.uid());
            } else {
                cluster.nominate(pod, node);
            }
        }

        private void boundPodSeen(PodInfo pod) {
            queue.remove(pod.uid());
            failedBindings.remove(pod.uid());
            volumeWaits.end(pod.uid());
            boolean ours = assumed.remove(pod.uid());
            PodInfo before = cluster.place(pod, pod.pod().getSpec().getNodeName());
            if (before == null || ours) {
                wake(new ClusterEvent.OfPod(Kind.POD_PLACED, pod));
                return;
            }
            wake(new ClusterEvent.OfPod(Kind.POD_RELABELLED, pod));
            if (!before.requests().equals(pod.requests())) {
                wake(new ClusterEvent.OfPod(Kind.POD_GONE, before));
            }
        }

        @Override
        public void podGone(Pod last) {
            String uid = last.getMetadata().getUid();
            queue.remove(uid);
            assumed.remove(uid);
            failedBindings.remove(uid);
            leaving.remove(uid);
            volumeWaits.end(uid);
            boolean cleared = !cluster.nomination(uid).isEmpty();
            PodInfo placed = cluster.remove(uid);
            if (placed != null) {
                wake(new ClusterEvent.OfPod(Kind.POD_GONE, placed));
            } else if (cleared) {
                wake(new ClusterEvent.OfPod(Kind.POD_GONE, new PodInfo(last)));
            }
        }

        @Override
        public void nodeSeen(Node node, Set<Kind> changes) {
            NodeInfo info = cluster.setNode(node);
            changes.forEach(change -> wake(new ClusterEvent.OfNode(change, info)));
        }

        @Override
        public void nodeGone(Node last) {
            cluster.removeNode(last.getMetadata().getName());
            wake(new ClusterEvent.OfNode(Kind.NODE_GONE, new ClusterState().setNode(last)));
        }

        @Override
        public void namespaceSeen(Namespace namespace) {
            String name = namespace.getMetadata().getName();
            cluster.setNamespace(name, namespace.getMetadata().getLabels());
            wake(new ClusterEvent.OfNamespace(name));
        }

        @Override
        public void namespaceGone(Namespace last) {
            cluster.removeNamespace(last.getMetadata().getName());
        }

        @Override
        public void storageSeen(HasMetadata object) {
            volumeWaits.look();
            wake(new ClusterEvent.OfStorage(object));
        }
    }
}
