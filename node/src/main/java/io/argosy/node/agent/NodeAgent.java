package io.argosy.node.agent;

import io.argosy.api.NamespacedName;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.node.agent.admission.NodeAdmission;
import io.argosy.node.agent.admission.Room;
import io.argosy.node.agent.env.ConfigSource;
import io.argosy.node.agent.eviction.Eviction;
import io.argosy.node.agent.log.LogRotation;
import io.argosy.node.agent.log.LogWatch;
import io.argosy.node.agent.log.PodLogs;
import io.argosy.node.agent.manifest.PodForm;
import io.argosy.node.agent.manifest.StaticPod;
import io.argosy.node.agent.manifest.StaticPods;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.pod.ImageAccess;
import io.argosy.node.agent.pod.NodeParts;
import io.argosy.node.agent.pod.PodStatuses;
import io.argosy.node.agent.pod.PodView;
import io.argosy.node.agent.pod.PodWorker;
import io.argosy.node.agent.pod.UserRanges;
import io.argosy.node.agent.probe.Checks;
import io.argosy.node.agent.resize.Allocations;
import io.argosy.node.agent.self.Machine;
import io.argosy.node.agent.self.NodeRegistration;
import io.argosy.node.agent.spec.PodNames;
import io.argosy.node.agent.stats.MachineMeasure;
import io.argosy.node.agent.stats.Measure;
import io.argosy.node.agent.stats.NodePages;
import io.argosy.node.agent.stats.PreemptionCounts;
import io.argosy.node.agent.stats.ProbeCounts;
import io.argosy.node.agent.stream.AgentStreams;
import io.argosy.node.agent.volume.PodVolumes;
import io.argosy.node.agent.volume.TokenSource;
import io.argosy.node.agent.work.Work;
import io.argosy.node.image.ImageStore;
import io.argosy.node.runtime.ContainerEvent;
import io.argosy.node.runtime.ContainerRuntime;
import io.argosy.node.runtime.ContainerStatus;
import io.argosy.node.runtime.Sandbox;
import io.argosy.node.usage.MachineCounters;
import io.argosy.node.usage.UsageMeter;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node agent, kubelet's part: runs the pods that are bound to this node and tells the API server how they fare. Closing it
 * leaves the pods running; the next one over the same runtime takes them over.
 */
public final class NodeAgent implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeAgent.class);
    private static final Duration RESYNC = Duration.ofSeconds(20);

    private final NodeConfig config;
    private final ContainerRuntime runtime;
    private final Informer<Pod> pods;
    private final Clock clock;
    private final NodeParts parts;
    private final NodeRegistration registration;
    private final LogWatch logWatch = new LogWatch();
    private final LogRotation rotation;
    private final AgentStreams streams;
    private final StaticPods statics;
    private final Measure measure;
    private final NodePages pages;
    private final Eviction eviction;
    private final Reception reception;
    private final Map<String, PodWorker> workers = new ConcurrentHashMap<>();

    private Found found = Found.NOTHING;
    private ContainerRuntime.Subscription exits;
    private Clock.Timer resync;
    private volatile boolean closed;

    /**
     * What the agent stands on.
     *
     * @param pods all pods, or those of this node alone
     * @param services all Services, for the environment of containers
     * @param form what makes the node's own manifests into pods
     * @param room whether the node can take a pod
     */
    public record Ground(
            Client client,
            Informer<Pod> pods,
            Informer<Service> services,
            ContainerRuntime runtime,
            ImageStore images,
            Clock clock,
            EventRecorder events,
            TokenSource tokens,
            PodForm form,
            Room room) {}

    /** What an earlier life of the agent left on the node, by pod uid. */
    private record Found(Map<String, List<Sandbox>> sandboxes, Map<String, List<ContainerStatus>> containers) {
        static final Found NOTHING = new Found(Map.of(), Map.of());
    }

    public NodeAgent(NodeConfig config, Ground ground) {
        this.config = config;
        runtime = ground.runtime();
        pods = ground.pods();
        clock = ground.clock();
        Machine machine = new Machine(
                config.home(),
                config.maxPods(),
                config.settings().eviction(),
                config.settings().reserved());
        ConfigSource configs = new ClientConfigs(ground.client());
        parts = new NodeParts(
                config,
                ground.client(),
                runtime,
                ground.images(),
                new ImageAccess(config.home().resolve("image-access.json"), ground.images()),
                clock,
                ground.events(),
                new PodVolumes(config.pods(), configs, ground.tokens(), ground.client(), clock),
                configs,
                pod -> servicesFor(ground.services(), pod),
                new PodStatuses(
                        () -> runtime.info().name(),
                        () -> runtime.info().features().recursiveReadOnly(),
                        config.addresses()),
                new Checks(runtime, clock),
                new ProbeCounts(),
                PodNames.hostResolver(),
                machine.allocatable(),
                new Allocations(machine.allocatable(), new GrowthRules()),
                new UserRanges(runtime, config.maxPods()),
                id -> logWatch.wakeAll(),
                new Semaphore(Math.max(4, 2 * Runtime.getRuntime().availableProcessors()), true));
        rotation = new LogRotation(runtime, clock);
        statics = new StaticPods(
                config.settings().manifests(), config.name(), ground.form(), ground.client(), clock, new StaticHost());
        MachineCounters counters = new MachineCounters();
        measure = new MachineMeasure(
                config,
                runtime,
                parts.volumes(),
                ground.images().root(),
                counters,
                new UsageMeter(runtime, counters, clock),
                clock);
        PreemptionCounts preemptions = new PreemptionCounts();
        pages = new NodePages(config, NodeRegistration.VERSION, measure, parts.probeCounts(), preemptions, this::views);
        eviction = Eviction.of(config, measure, ground.images(), runtime, new EvictionHands(), clock, ground.events());
        reception = new Reception(
                clock,
                ground.events(),
                eviction,
                new NodeAdmission(config.settings(), runtime, ground.room()),
                preemptions,
                workers);
        registration = new NodeRegistration(
                config,
                ground.client(),
                runtime,
                ground.images(),
                clock,
                machine,
                eviction::conditions,
                ground.events());
        streams = new AgentStreams(runtime, new PodLogs(logWatch), this::view);
    }

    /** Takes over what runs here, then follows the API server; returns without waiting for either. */
    public void start() {
        exits = runtime.events(this::exited);
        found = look();
        pods.addHandler(new Informer.Handler<>() {
            @Override
            public void added(Pod pod) {
                take(pod);
            }

            @Override
            public void updated(Pod before, Pod after) {
                if (!PodFacts.uid(before).equals(PodFacts.uid(after))) {
                    deleted(before);
                }
                take(after);
            }

            @Override
            public void deleted(Pod last) {
                if (StaticPod.isMirror(last)) {
                    statics.mirrorGone(last);
                }
                end(PodFacts.uid(last));
            }
        });
        registration.start();
        eviction.start();
        Work.begin(clock, "orphans", () -> {
            statics.look();
            removeOrphans();
            parts.allocations().open();
        });
        statics.follow(logWatch);
        resync = clock.schedule(RESYNC, this::resyncAll);
    }

    /** Where kubectl's streams into this node's pods come in. */
    public NodeStreams streams() {
        return streams;
    }

    /** What the node tells of itself to those who ask by a path. */
    public NodePages pages() {
        return pages;
    }

    /** What measures the node's pods. */
    public UsageMeter meter() {
        return measure.meter();
    }

    private List<PodView> views() {
        return workers.values().stream().map(PodWorker::view).toList();
    }

    /** Stops all pods, each within its own grace or this one if shorter, and waits for it; their objects stay. */
    public void stopAllPods(Duration maxGrace) throws InterruptedException {
        closed = true;
        List<CountDownLatch> waits = new ArrayList<>();
        workers.values().forEach(worker -> {
            waits.add(worker.ended());
            worker.sleep(maxGrace);
        });
        long limit = maxGrace.plusSeconds(30).toMillis();
        for (CountDownLatch wait : waits) {
            if (!wait.await(limit, TimeUnit.MILLISECONDS)) {
                LOG.warn("a pod of node {} did not stop in time", config.name());
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        statics.close();
        eviction.close();
        registration.close();
        if (resync != null) {
            resync.cancel();
        }
        if (exits != null) {
            exits.close();
        }
        workers.values().forEach(PodWorker::abandon);
        try {
            logWatch.close();
        } catch (IOException e) {
            LOG.warn("log watch did not close: {}", e.toString());
        }
    }

    private Found look() {
        Map<String, List<Sandbox>> sandboxes = new HashMap<>();
        Map<String, List<ContainerStatus>> containers = new HashMap<>();
        for (Sandbox sandbox : runtime.sandboxes()) {
            sandboxes
                    .computeIfAbsent(sandbox.pod().uid(), u -> new ArrayList<>())
                    .add(sandbox);
        }
        for (ContainerStatus container : runtime.containers()) {
            containers
                    .computeIfAbsent(container.pod().uid(), u -> new ArrayList<>())
                    .add(container);
        }
        return new Found(sandboxes, containers);
    }

    private void take(Pod pod) {
        if (closed || !config.name().equals(pod.getSpec().getNodeName())) {
            return;
        }
        if (StaticPod.isMirror(pod)) {
            statics.mirror(pod);
            return;
        }
        PodWorker known = workers.get(PodFacts.uid(pod));
        if (known != null) {
            known.update(pod);
        } else {
            PodWorker worker = worker(pod, () -> {});
            if (worker.view().sandbox().isEmpty() && !PodFacts.terminal(pod) && !PodFacts.deleting(pod)) {
                reception.receive(worker);
            } else {
                worker.start();
            }
        }
    }

    private PodWorker worker(Pod pod, Runnable ended) {
        String uid = PodFacts.uid(pod);
        PodWorker worker = new PodWorker(
                parts,
                pod,
                found.sandboxes.getOrDefault(uid, List.of()),
                found.containers.getOrDefault(uid, List.of()),
                () -> {
                    workers.remove(uid);
                    parts.probeCounts().forget(uid);
                    ended.run();
                });
        workers.put(uid, worker);
        return worker;
    }

    private void end(String uid) {
        PodWorker worker = workers.get(uid);
        if (worker != null) {
            worker.gone();
        }
    }

    /** Ends pods for which the node has no room any more. */
    private final class EvictionHands implements Eviction.Hands {
        @Override
        public List<PodView> pods() {
            return views();
        }

        @Override
        public void evict(Pod pod, PodView.Ending why, Duration grace) {
            PodWorker worker = workers.get(PodFacts.uid(pod));
            if (worker != null) {
                worker.evict(why, grace);
            }
        }

        @Override
        public boolean clearEnded() {
            List<PodView> ended = views().stream()
                    .filter(view -> PodFacts.terminal(view.pod()) && view.cleaned() && !view.anyRunning())
                    .toList();
            return new Orphans(runtime, parts.volumes(), config).clear(ended);
        }
    }

    /** A pod that is to have more is looked at as if it were new. */
    private final class GrowthRules implements Allocations.Rules {
        @Override
        public Optional<String> hindrance(Pod wanted) {
            return eviction.refusal(wanted).map(PodView.Ending::message);
        }

        @Override
        public Optional<String> makeRoom(Pod wanted, String shortage) {
            return reception.makeRoom(wanted, shortage);
        }
    }

    /** Runs what the node's own manifests say, beside what the API server says. */
    private final class StaticHost implements StaticPods.Host {
        @Override
        public boolean run(Pod pod, Runnable ended) {
            if (!closed) {
                PodWorker worker = worker(pod, ended).ofManifest();
                if (worker.view().sandbox().isEmpty()) {
                    reception.receive(worker);
                } else {
                    worker.start();
                }
            }
            return !closed;
        }

        @Override
        public void end(String uid) {
            NodeAgent.this.end(uid);
        }

        @Override
        public void mirrored(String uid, Pod mirror) {
            PodWorker worker = workers.get(uid);
            if (worker != null) {
                worker.mirrored(mirror);
            }
        }
    }

    private void exited(ContainerEvent event) {
        PodWorker worker = workers.get(event.pod().uid());
        if (worker != null) {
            worker.exited(event.containerId());
        }
    }

    /** What runs here though the API server has no such pod (any more) must go; so must folders without a pod. */
    private void removeOrphans() {
        try {
            pods.awaitRevision(1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        Map<String, Pod> wanted = new HashMap<>();
        pods.list().stream()
                .filter(p -> config.name().equals(p.getSpec().getNodeName()))
                .forEach(p -> wanted.put(PodFacts.uid(p), p));
        Set<String> own = statics.uids();
        Orphans orphans = new Orphans(runtime, parts.volumes(), config);
        found.sandboxes.forEach((uid, sandboxes) -> {
            if (!wanted.containsKey(uid) && !own.contains(uid) && !workers.containsKey(uid) && !closed) {
                orphans.remove(uid, sandboxes, found.containers.getOrDefault(uid, List.of()));
            }
        });
        for (String uid : orphans.folders()) {
            if (!wanted.containsKey(uid) && !own.contains(uid) && !workers.containsKey(uid) && !closed) {
                orphans.remove(uid, List.of(), List.of());
            }
        }
    }

    private void resyncAll() {
        if (closed) {
            return;
        }
        List<ContainerStatus> running = new ArrayList<>();
        workers.values().forEach(worker -> {
            worker.resync();
            worker.view().containers().values().stream()
                    .filter(PodView.Instances::running)
                    .forEach(i -> running.add(i.current()));
        });
        statics.follow(logWatch);
        parts.allocations().retry();
        Work.begin(clock, "upkeep", () -> {
            rotation.check(running);
            statics.look();
        });
        resync = clock.schedule(RESYNC, this::resyncAll);
    }

    private Optional<PodView> view(NamespacedName name) {
        return workers.values().stream()
                .map(PodWorker::view)
                .filter(v -> PodFacts.name(v.pod()).equals(name.name())
                        && PodFacts.namespace(v.pod()).equals(name.namespace()))
                .min((a, b) -> Boolean.compare(a.removed(), b.removed()));
    }

    private static List<Service> servicesFor(Informer<Service> services, Pod pod) {
        List<Service> wanted = new ArrayList<>(services.list(PodFacts.namespace(pod)));
        services.get(NamespacedName.of("default", "kubernetes")).ifPresent(wanted::add);
        return wanted;
    }
}
