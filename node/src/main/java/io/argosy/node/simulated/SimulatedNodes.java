package io.argosy.node.simulated;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.client.model.Models;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Any number of nodes that exist as state only: they register, keep their leases, and their pods become Running and Ready, exit and
 * stop, without a process or a thread for any of them.
 */
public final class SimulatedNodes implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SimulatedNodes.class);
    /** Leases are renewed in slices, so that a large fleet is a steady trickle and not a wave. */
    private static final int SLICES = 10;

    private static final Duration TICK = Fleet.RENEW_EVERY.dividedBy(SLICES);

    private static final int STATUS_EVERY_ROUNDS = 30;
    private static final int AT_ONCE = 64;
    private static final DateTimeFormatter MICRO_TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private final Fleet fleet;
    private final Scene scene;
    private final NodeClients clients;
    private final Clock clock;
    private final AttachedVolumes volumes;
    private final PodPlayer player;
    private final Semaphore permits = new Semaphore(AT_ONCE);
    /** For each node: its heartbeats come one after the other, so that the last written is the newest. */
    private final Object[] turns;

    private final AtomicInteger registering = new AtomicInteger();
    /** Nodes whose heartbeat waits for its turn. */
    private final Set<Integer> queued = ConcurrentHashMap.newKeySet();

    private Instant started;
    /** For how many more slices the status is reported with the lease. */
    private int statusTicks;

    private long lastTick = -1;
    private Clock.Timer timer;
    private boolean closed;

    /** A standard fleet of so many nodes. */
    public SimulatedNodes(Client client, Informers informers, Clock clock, int count) {
        this(client, informers, clock, Fleet.of(count));
    }

    public SimulatedNodes(Client client, Informers informers, Clock clock, Fleet fleet) {
        this(node -> client, informers, clock, fleet, new Scene(), new Unheard());
    }

    /**
     * A fleet on which what somebody arranges takes place; what its nodes notice about pods is recorded.
     *
     * @param access gives each node, by its name, the client that it does its work with
     */
    public SimulatedNodes(
            Function<String, Client> access,
            Informers informers,
            Clock clock,
            Fleet fleet,
            Scene scene,
            EventRecorder events) {
        this.fleet = fleet;
        this.scene = scene;
        this.clock = clock;
        turns = Stream.generate(Object::new).limit(fleet.count()).toArray();
        clients = new NodeClients(fleet, access);
        volumes = new AttachedVolumes(fleet, scene, clients, informers, clock);
        player = new PodPlayer(fleet, scene, clients, events, volumes, clock);
        informers.of(Pod.class).addHandler(player);
        informers.of(Node.class).addHandler(Informer.Handler.onAny(this::protest));
    }

    /** Registers the nodes, in the background; they are Ready when they appear. */
    public synchronized void start() {
        for (int number = 0; number < fleet.count(); number++) {
            if (!scene.isLost(fleet.name(number))) {
                registering.incrementAndGet();
                beside(number, this::register, Duration.ofSeconds(1));
            }
        }
        started = clock.now();
        timer = clock.every(TICK, this::tick);
    }

    /** The node is lost from now on: no more heartbeats, and nothing more is heard of its pods. */
    public void fail(String node) {
        requireNode(node);
        scene.lose(node);
    }

    /** The node is there again, and goes on with its pods as they now are. */
    public void recover(String node) {
        int number = requireNode(node);
        scene.find(node);
        registering.incrementAndGet();
        beside(number, this::register, Duration.ofSeconds(1));
        player.resume(number);
        volumes.resume(number);
    }

    /** Whether the node is one of these and can be reached. */
    public boolean reaches(String node) {
        return fleet.numberOf(node) >= 0 && !scene.isLost(node);
    }

    private int requireNode(String node) {
        int number = fleet.numberOf(node);
        if (number < 0) {
            throw new IllegalArgumentException("there is no simulated node " + node);
        }
        return number;
    }

    /** True when all nodes are registered and no pod's step is being written. */
    public boolean idle() {
        return registering.get() == 0 && player.idle() && volumes.idle();
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (timer != null) {
            timer.cancel();
        }
        volumes.close();
        player.close();
    }

    private void register(int number) {
        Resources<Node> nodes = clients.of(number, Node.class);
        Node wanted = fleet.node(number, clock.now());
        Node present;
        try {
            present = nodes.create(wanted);
        } catch (ApiException e) {
            if (!e.is(Reason.AlreadyExists)) {
                throw e;
            }
            present = nodes.get("", fleet.name(number));
            annotate(nodes, present, wanted.getMetadata().getAnnotations());
        }
        if (present.getStatus() == null || !wanted.getStatus().equals(present.getStatus())) {
            ObjectNode patch = Json.object();
            patch.set("status", Models.toTree(wanted.getStatus()));
            nodes.patchStatusOnly("", fleet.name(number), Resources.PatchType.STRATEGIC, patch);
        }
        registering.decrementAndGet();
        beside(number, this::renew, Duration.ZERO);
    }

    private static void annotate(Resources<Node> nodes, Node present, Map<String, String> wanted) {
        Map<String, String> there = present.getMetadata().getAnnotations();
        if (there == null || !there.keySet().containsAll(wanted.keySet())) {
            ObjectNode patch = Json.object();
            patch.putObject("metadata").set("annotations", Models.toTree(wanted));
            nodes.patch("", present.getMetadata().getName(), Resources.PatchType.MERGE, patch);
        }
    }

    private synchronized void tick() {
        if (closed) {
            return;
        }
        long now = Duration.between(started, clock.now()).dividedBy(TICK);
        boolean statusDue =
                (now + 1) / (SLICES * STATUS_EVERY_ROUNDS) > (lastTick + 1) / (SLICES * STATUS_EVERY_ROUNDS);
        statusTicks = statusDue ? SLICES : statusTicks;
        // One tick may stand for many, where time is turned by hand; then every slice that was passed over is due.
        for (long tick = Math.max(lastTick + 1, now - SLICES + 1); tick <= now; tick++) {
            for (int number = (int) (tick % SLICES); number < fleet.count(); number += SLICES) {
                beat(number, statusTicks > 0 ? this::heartbeat : this::renew);
            }
            statusTicks = Math.max(0, statusTicks - 1);
        }
        lastTick = now;
    }

    /** Where the server is slower than the beat, a beat is left out rather than queued behind the last. */
    private void beat(int number, IntConsumer work) {
        if (queued.add(number)) {
            boolean begun = beside(
                    number,
                    node -> {
                        queued.remove(node);
                        work.accept(node);
                    },
                    Duration.ZERO);
            if (!begun) {
                queued.remove(number);
            }
        }
    }

    /** A node that was slow to renew its lease is soon held to be lost; it says that it is not. */
    private void protest(Node node) {
        int number = fleet.numberOf(node.getMetadata().getName());
        if (number >= 0 && isThoughtLost(node)) {
            beat(number, this::heartbeat);
        }
    }

    private static boolean isThoughtLost(Node node) {
        return node.getStatus() != null
                && node.getStatus().getConditions() != null
                && node.getStatus().getConditions().stream()
                        .anyMatch(condition -> condition.getType().equals("Ready")
                                && condition.getStatus().equals("Unknown"));
    }

    private void renew(int number) {
        synchronized (turns[number]) {
            renewNow(number);
        }
    }

    private void renewNow(int number) {
        Instant now = clock.now();
        Resources<Lease> leases = clients.of(number, Lease.class);
        ObjectNode patch = Json.object();
        patch.putObject("spec").put("renewTime", MICRO_TIME.format(now));
        try {
            leases.patch(Fleet.LEASE_NAMESPACE, fleet.name(number), Resources.PatchType.MERGE, patch);
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound)) {
                throw e;
            }
            leases.create(fleet.lease(number, now));
        }
    }

    private void heartbeat(int number) {
        renew(number);
        ObjectNode patch = Json.object();
        ArrayNode conditions = patch.putObject("status").putArray("conditions");
        for (NodeCondition condition : Fleet.conditions(clock.now())) {
            conditions
                    .addObject()
                    .put("type", condition.getType())
                    .put("status", condition.getStatus())
                    .put("lastHeartbeatTime", condition.getLastHeartbeatTime());
        }
        clients.of(number, Node.class).patchStatusOnly("", fleet.name(number), Resources.PatchType.STRATEGIC, patch);
    }

    /** Does the work for one node on a thread of its own, unless it is lost; a failure is tried again after the delay, or left to the next round. */
    private boolean beside(int number, IntConsumer work, Duration retryDelay) {
        if (scene.isLost(fleet.name(number))) {
            return false;
        }
        clock.hold();
        Thread.ofVirtual().name("simulated-node").start(() -> {
            permits.acquireUninterruptibly();
            try {
                work.accept(number);
            } catch (RuntimeException e) {
                failed(number, work, retryDelay, e);
            } finally {
                permits.release();
                clock.release();
            }
        });
        return true;
    }

    private synchronized void failed(int number, IntConsumer work, Duration retryDelay, RuntimeException failure) {
        if (closed) {
            return;
        }
        if (retryDelay.isZero()) {
            LOG.debug("{}: the heartbeat will be tried again: {}", fleet.name(number), failure.toString());
        } else {
            LOG.warn("{} will try again to register: {}", fleet.name(number), failure.toString());
            clock.schedule(retryDelay, () -> beside(number, work, retryDelay));
        }
    }

    /** Thousands of nodes tell nobody what they do all day. */
    private static final class Unheard implements EventRecorder {
        @Override
        public void event(ObjectReference about, Type type, String reason, String message) {}

        @Override
        public void event(HasMetadata about, Type type, String reason, String message) {}
    }
}
