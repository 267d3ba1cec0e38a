package io.argosy.junit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.argosy.api.GroupVersion;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.names.Lot;
import io.argosy.api.time.VirtualClock;
import io.argosy.client.model.Models;
import io.argosy.junit.fault.Faults;
import io.argosy.junit.http.InProcessHttpFactory;
import io.argosy.junit.story.Story;
import io.argosy.junit.time.EraClock;
import io.argosy.node.simulated.Fleet;
import io.argosy.node.simulated.Scene;
import io.argosy.node.simulated.SimulatedNodes;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.http.HttpHandler;
import io.argosy.server.webhook.WebhookFaults.Fault;
import io.argosy.store.memory.MemoryLog;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A whole cluster for a test, in this JVM and in memory: nothing to install, no port, no file, no process.
 *
 * <p>Time stands still until the test moves it with {@link #advance} or waits with {@link #await}; then everything that falls due on
 * the way happens, and at each moment all loops finish what they have to do before time goes on. Methods are for the test's thread.
 */
public final class Cluster implements AutoCloseable {
    private static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");
    /** How long, in real time, loops may be busy before something must be wrong. */
    private static final Duration BUSY_TOO_LONG = Duration.ofSeconds(60);

    private static final Duration PATIENCE = Duration.ofMinutes(10);
    /** Small enough that a pod or two make a difference to the scheduler. */
    private static final Map<String, String> NODE =
            Map.of("cpu", "4", "memory", "16Gi", "ephemeral-storage", "100Gi", "pods", "110");

    private static final String FIELD_MANAGER = "argosy-test";
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
    /** What every cluster has, and what no test waits for in vain. */
    private static final Set<String> UNTOLD = Set.of(
            "events",
            "secrets",
            "configmaps",
            "serviceaccounts",
            "leases",
            "clusterroles",
            "clusterrolebindings",
            "apiservices",
            "flowschemas",
            "prioritylevelconfigurations");

    private final long seed;
    private final VirtualClock clock = new VirtualClock(BEGINNING);
    private final MemoryLog log = new MemoryLog();
    private final Lot lot;
    private final Scene scene = new Scene();
    private final Fleet fleet;
    private final Set<String> nodeNames;
    private final Faults faults;
    private final Map<String, Fault> webhookFaults = new ConcurrentHashMap<>();
    private final List<Invariant<?>> invariants = new CopyOnWriteArrayList<>();
    private final KubernetesClient client;
    private EraClock era;
    private volatile io.argosy.cluster.Cluster running;
    private volatile HttpHandler http;

    private Cluster(int nodes, long seed) {
        this.seed = seed;
        lot = Lot.seeded(seed);
        faults = new Faults(Lot.seeded(seed));
        fleet = Fleet.of(nodes).named("n", 1).withCapacity(NODE);
        nodeNames = IntStream.rangeClosed(1, nodes).mapToObj(i -> "n" + i).collect(Collectors.toSet());
        client = new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder(Config.empty())
                        .withMasterUrl("http://cluster.test/")
                        .withNamespace("default")
                        .withOnlyHttpWatches(true)
                        .withRequestRetryBackoffLimit(0)
                        .build())
                .withHttpClientFactory(new InProcessHttpFactory(() -> http))
                .build();
    }

    /** A cluster with so many nodes, n1, n2 ..., in which chance decides by the seed; whoever starts it closes it. */
    public static Cluster start(int nodes, long seed) {
        Cluster cluster = new Cluster(nodes, seed);
        try {
            cluster.startControlPlane();
            cluster.awaitIdle();
            return cluster;
        } catch (RuntimeException | Error failed) {
            cluster.close();
            throw failed;
        }
    }

    private void startControlPlane() {
        era = new EraClock(clock, this::isKnownOf);
        running = io.argosy.cluster.Cluster.builder()
                .inMemory(log)
                .address("127.0.0.1")
                .nodeName("none")
                .clock(era)
                .lot(lot)
                .simulatedNodes(fleet, scene)
                .transports((component, way) -> faults.on(way))
                .start();
        http = running.http();
        webhookFaults.forEach(running.webhookFaults()::fail);
        invariants.forEach(this::follow);
    }

    /** Whether it is as the cluster thinks with that node; then nobody need look again and again whether it still is. */
    private boolean isKnownOf(String node) {
        return nodeNames.contains(node) && (!scene.isLost(node) || isThoughtLost(node));
    }

    private boolean isThoughtLost(String node) {
        io.argosy.cluster.Cluster asked = running; // null while the control plane starts
        CachedObject stored =
                asked == null ? null : asked.registry().store("", "nodes").find("", node);
        return stored != null
                && Models.decode(stored.json(), Node.class).getStatus().getConditions().stream()
                        .anyMatch(condition -> condition.getType().equals("Ready")
                                && condition.getStatus().equals("Unknown"));
    }

    private void stopControlPlane() {
        http = null;
        if (running != null) {
            running.close();
            running = null;
        }
        if (era != null) {
            era.end();
        }
    }

    /** A client with all rights. */
    public KubernetesClient client() {
        return client;
    }

    public long seed() {
        return seed;
    }

    /** What the cluster's clock shows; it starts at 2026-01-01T00:00:00Z. */
    public Instant now() {
        return clock.now();
    }

    // ---- what there should be ----

    /** Applies the objects of a YAML or JSON text, as {@code kubectl apply --server-side} does; those without a namespace to "default". */
    public List<HasMetadata> apply(String manifest) {
        List<HasMetadata> applied = new ArrayList<>();
        try (MappingIterator<JsonNode> documents =
                YAML.readerFor(JsonNode.class).readValues(manifest)) {
            while (documents.hasNext()) {
                JsonNode document = documents.next();
                if (document == null || document.isNull() || document.isMissingNode()) {
                    continue;
                }
                if (document.path("kind").asText().equals("List")) {
                    document.path("items").forEach(item -> applied.add(applyOne(item)));
                } else {
                    applied.add(applyOne(document));
                }
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("this is no YAML: " + e.getMessage(), e);
        }
        return applied;
    }

    private HasMetadata applyOne(JsonNode document) {
        for (String field : List.of("apiVersion", "kind", "metadata")) {
            if (document.path(field).isMissingNode() || document.path(field).isNull()) {
                throw new IllegalArgumentException("this has no " + field + ": " + document);
            }
        }
        GenericKubernetesResource object =
                client.getKubernetesSerialization().convertValue(document, GenericKubernetesResource.class);
        ResourceType type = running.registry()
                .types()
                .find(new GroupVersionKind(
                        GroupVersion.parse(object.getApiVersion()).group(),
                        GroupVersion.parse(object.getApiVersion()).version(),
                        object.getKind()))
                .orElseThrow(() -> new IllegalArgumentException(
                        "the cluster knows no " + object.getKind() + " of " + object.getApiVersion()));
        var resources = client.genericKubernetesResources(context(type));
        String namespace = object.getMetadata().getNamespace();
        var resource = type.namespaced()
                ? resources
                        .inNamespace(namespace == null ? "default" : namespace)
                        .resource(object)
                : resources.resource(object);
        if (object.getMetadata().getName() == null) {
            return resource.create();
        }
        return resource.patch(
                new PatchContext.Builder()
                        .withPatchType(PatchType.SERVER_SIDE_APPLY)
                        .withFieldManager(FIELD_MANAGER)
                        .withForce(true)
                        .build(),
                object);
    }

    private static ResourceDefinitionContext context(ResourceType type) {
        return new ResourceDefinitionContext.Builder()
                .withGroup(type.group())
                .withVersion(type.version())
                .withKind(type.kind())
                .withPlural(type.plural())
                .withNamespaced(type.namespaced())
                .build();
    }

    /** How pods with this image behave. */
    public SimulatedImage image(String name) {
        return new SimulatedImage(scene, name);
    }

    // ---- time ----

    /** Lets time pass: everything that falls due happens at its hour, and all loops come to rest before the next. */
    public void advance(Duration duration) {
        Instant until = clock.now().plus(duration);
        do {
            awaitIdle();
        } while (clock.step(until));
        awaitIdle();
    }

    /** Returns when no loop has anything to do but wait for time; no time passes. */
    public void awaitIdle() {
        try {
            if (!era.holds().awaitNone(BUSY_TOO_LONG)) {
                throw new IllegalStateException("some loop has been busy for " + BUSY_TOO_LONG.toSeconds()
                        + " s of real time at " + now() + "; " + era.holds().count() + " pieces of work are left");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the cluster was busy", e);
        }
        checkInvariants();
    }

    // ---- what there is ----

    /** Lets time pass until the object of the namespace "default" is there and as it should be; at most ten minutes. */
    public <T extends HasMetadata> T await(Class<T> type, String name, Predicate<T> condition) {
        return await(type, "default", name, PATIENCE, condition);
    }

    /** The same for any namespace and time; the namespace of a cluster-scoped object is not looked at. */
    public <T extends HasMetadata> T await(
            Class<T> type, String namespace, String name, Duration atMost, Predicate<T> condition) {
        List<T> found = new ArrayList<>(1);
        boolean there = passUntil(atMost, () -> {
            T object = find(type, namespace, name);
            found.clear();
            if (object != null) {
                found.add(object);
            }
            return object != null && condition.test(object);
        });
        if (!there) {
            throw new AssertionError(
                    "in vain for " + atMost + ", until " + now() + ":\n" + explain(type, namespace, name));
        }
        return found.getFirst();
    }

    /** Lets time pass until the object of the namespace "default" is gone; at most ten minutes. */
    public <T extends HasMetadata> void awaitGone(Class<T> type, String name) {
        awaitGone(type, "default", name);
    }

    public <T extends HasMetadata> void awaitGone(Class<T> type, String namespace, String name) {
        if (!passUntil(PATIENCE, () -> find(type, namespace, name) == null)) {
            throw new AssertionError(
                    "still there after " + PATIENCE + ", at " + now() + ":\n" + explain(type, namespace, name));
        }
    }

    /** Lets time pass until the condition holds; at most ten minutes. */
    public void await(String what, BooleanSupplier condition) {
        await(what, PATIENCE, condition);
    }

    public void await(String what, Duration atMost, BooleanSupplier condition) {
        if (!passUntil(atMost, condition)) {
            throw new AssertionError(
                    "in vain for " + atMost + ", until " + now() + ": " + what + "\n" + story().ofAll());
        }
    }

    /** What the cluster knows about an object and those it owns: conditions, events, owners, pods. */
    public <T extends HasMetadata> String explain(Class<T> type, String namespace, String name) {
        return story().of(
                        HasMetadata.getKind(type),
                        isNamespaced(type) ? namespace : "",
                        name,
                        find(type, namespace, name));
    }

    private boolean passUntil(Duration atMost, BooleanSupplier condition) {
        Instant until = clock.now().plus(atMost);
        do {
            awaitIdle();
            if (condition.getAsBoolean()) {
                return true;
            }
        } while (clock.step(until));
        awaitIdle();
        return condition.getAsBoolean();
    }

    private <T extends HasMetadata> T find(Class<T> type, String namespace, String name) {
        return isNamespaced(type)
                ? client.resources(type).inNamespace(namespace).withName(name).get()
                : client.resources(type).withName(name).get();
    }

    private static boolean isNamespaced(Class<?> type) {
        return Namespaced.class.isAssignableFrom(type);
    }

    private Story story() {
        return new Story(
                client,
                running.registry().types().all().stream()
                        .filter(type -> type.storedAsServed()
                                && type.can("list")
                                && type.can("create")
                                && !UNTOLD.contains(type.plural()))
                        .map(Cluster::context)
                        .toList());
    }

    /**
     * A rule that must hold for all objects of the kind at every single revision from now on, however short it lasts. The rule only looks
     * at what it is given. A breach fails the next call that lets the cluster work, or the test at its end.
     */
    public <T extends HasMetadata> void always(Class<T> type, String what, Predicate<List<T>> rule) {
        Invariant<T> invariant = new Invariant<>(type, what, rule, () -> now().toString());
        invariants.add(invariant);
        follow(invariant);
    }

    private void follow(Invariant<?> invariant) {
        GroupVersion version = GroupVersion.parse(HasMetadata.getApiVersion(invariant.type()));
        ResourceType type = running.registry()
                .find(version, HasMetadata.getPlural(invariant.type()))
                .orElseThrow();
        invariant.follow(running.registry().store(type).orElseThrow());
    }

    void checkInvariants() {
        invariants.forEach(Invariant::check);
    }

    // ---- what goes wrong ----

    /** The node is lost: no heartbeat, and no word of its pods. */
    public void failNode(String name) {
        nodes().fail(name);
        era.abandoned(name);
    }

    /** The node is back, with its pods. */
    public void recoverNode(String name) {
        nodes().recover(name);
    }

    private SimulatedNodes nodes() {
        return running.simulatedNodes().orElseThrow(() -> new IllegalStateException("the cluster has no nodes"));
    }

    /** Ends every watch there is: those of the controllers, of the scheduler, of the nodes, and of the test. */
    public void dropWatches() {
        running.registry().endWatches();
    }

    /** From now on this part of all updates by the cluster's own components is refused as if the object had changed meanwhile. */
    public void conflictRate(double rate) {
        faults.conflictRate(rate);
    }

    /**
     * From now on this part of all writes by the cluster's own components fails, each in one of these ways, or in any if none is named:
     * creations, updates, deletions, bindings. Reads, Events and the nodes' heartbeats come through.
     */
    public void failureRate(double rate, Failure... ways) {
        faults.failureRate(rate, List.of(ways.length == 0 ? Failure.values() : ways));
    }

    /** Calls to the webhook of that name fail as if nobody were there, until it recovers; conversion webhooks are named {@code conversion_webhook_for_<definition>}. */
    public void failWebhook(String name) {
        failWebhook(name, Fault.UNREACHABLE);
    }

    /** Calls to the webhook of that name time out, at once: no time passes, real or other. */
    public void timeOutWebhook(String name) {
        failWebhook(name, Fault.TIMEOUT);
    }

    private void failWebhook(String name, Fault how) {
        webhookFaults.put(name, how);
        running.webhookFaults().fail(name, how);
    }

    /** The webhook is called again as it is configured. */
    public void recoverWebhook(String name) {
        webhookFaults.remove(name);
        running.webhookFaults().recover(name);
    }

    /** Ends API server, controllers, scheduler and nodes' agents where they stand, and starts them again on what is stored. */
    public void restartControlPlane() {
        stopControlPlane();
        startControlPlane();
    }

    @Override
    public void close() {
        stopControlPlane();
        client.close();
    }

    @Override
    public String toString() {
        return "cluster of " + fleet.count() + " nodes at " + now() + ", seed " + Objects.toString(seed);
    }
}
