package io.argosy.controllers;

import static org.assertj.core.api.Assertions.fail;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersion;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.VirtualClock;
import io.argosy.client.Client;
import io.argosy.client.NodeSelectors;
import io.argosy.client.Resources;
import io.argosy.client.Tolerations;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.fake.FakeApi;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.SharedInformers;
import io.argosy.client.model.ResourceType;
import io.argosy.controllers.catalog.ResourceCatalog;
import io.argosy.controllers.meta.Timestamps;
import io.argosy.controllers.pod.Pods;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Endpoints;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.ReplicationController;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.CronJob;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * All controllers over a fake API, with nodes that run every pod at once unless its image is bad; time moves on its own by less than
 * a second, for retries, and else only by hand.
 */
final class FakeCluster implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration RETRIES = Duration.ofMillis(900);

    final VirtualClock clock = new VirtualClock(Instant.parse("2026-01-01T00:00:00Z"));
    final FakeApi api = new FakeApi(clock);
    final Client client = api.client();
    final SharedInformers informers = new SharedInformers(api, clock);
    final List<String> events = new CopyOnWriteArrayList<>();
    final AtomicInteger fewestAvailable = new AtomicInteger(Integer.MAX_VALUE);
    final AtomicInteger mostPods = new AtomicInteger();
    final Controllers controllers;
    private final AtomicInteger addresses = new AtomicInteger(1);
    volatile Predicate<Pod> runs =
            pod -> !pod.getSpec().getContainers().getFirst().getImage().contains("bad");
    volatile Predicate<Pod> ends = pod -> true;
    /** Nodes that no longer give a sign of life. */
    final Set<String> silent = ConcurrentHashMap.newKeySet();
    /** The phase in which a running pod ends by itself, or null. */
    volatile Function<Pod, String> outcome = pod -> null;

    FakeCluster() {
        for (String name : List.of("n1", "n2")) {
            addNode(name, "zone-" + name);
        }
        beat();
        controllers = new Controllers(new Controllers.Ground(
                name -> client,
                name -> api,
                informers,
                clock,
                (name, component) -> new Recorder(),
                new Catalog(),
                "CA PEM",
                (request, usages, now, life) -> {
                    throw new AssertionError("nobody asks for certificates here");
                },
                true));
        informers.of(Pod.class).addHandler(new Kubelet());
        controllers.start();
    }

    void addNode(String name, String zone) {
        client.resources(Node.class)
                .create(new NodeBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .addToLabels("topology.kubernetes.io/zone", zone)
                        .addToAnnotations("volumes.kubernetes.io/controller-managed-attach-detach", "true")
                        .endMetadata()
                        .build());
        nodeReady(name);
        client.resources(Lease.class)
                .create(new LeaseBuilder()
                        .withNewMetadata()
                        .withNamespace("kube-node-lease")
                        .withName(name)
                        .endMetadata()
                        .withNewSpec()
                        .withRenewTime(clock.now().atZone(ZoneOffset.UTC))
                        .endSpec()
                        .build());
    }

    /** What a node reports when it starts, and when it comes back. */
    void nodeReady(String name) {
        ObjectNode patch = Json.object();
        patch.putObject("status")
                .putArray("conditions")
                .addObject()
                .put("type", "Ready")
                .put("status", "True")
                .put("reason", "KubeletReady")
                .put("lastHeartbeatTime", Timestamps.format(clock.now()));
        client.resources(Node.class).patchStatus("", name, Resources.PatchType.STRATEGIC, patch);
    }

    /** Every node that is not silent renews its lease every ten seconds, on the thread that turns the clock. */
    private void beat() {
        for (Lease lease : client.resources(Lease.class).list("kube-node-lease", java.util.Map.of())) {
            if (!silent.contains(lease.getMetadata().getName())) {
                ObjectNode patch = Json.object();
                patch.putObject("spec")
                        .put("renewTime", clock.now().atZone(ZoneOffset.UTC).toString());
                client.resources(Lease.class)
                        .patch("kube-node-lease", lease.getMetadata().getName(), Resources.PatchType.MERGE, patch);
            }
        }
        clock.schedule(Duration.ofSeconds(10), this::beat);
    }

    <T extends HasMetadata> Resources<T> resources(Class<T> type) {
        return client.resources(type);
    }

    <T extends HasMetadata> T create(T object) {
        @SuppressWarnings("unchecked")
        Class<T> type = (Class<T>) object.getClass();
        return client.resources(type).create(object);
    }

    List<Pod> pods() {
        return client.resources(Pod.class).list("default", java.util.Map.of());
    }

    List<Pod> livingPods() {
        return pods().stream().filter(Pods::isActive).toList();
    }

    Deployment deployment(String name) {
        return client.resources(Deployment.class).get("default", name);
    }

    List<ReplicaSet> replicaSets() {
        return client.resources(ReplicaSet.class).list("default", java.util.Map.of());
    }

    /** Lets retries happen until the condition holds; looks less often the longer it takes, so as not to be in the way. */
    void eventually(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        long pause = 200_000;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                fail("waited in vain: " + what + "; events: " + events);
            }
            clock.untilNext().filter(next -> next.compareTo(RETRIES) <= 0).ifPresent(next -> clock.advance(next));
            LockSupport.parkNanos(pause);
            pause = Math.min(pause + pause / 50, 10_000_000);
        }
    }

    /** What was told, once everybody has had their say: an event comes after the write it is about. */
    List<String> told() {
        settle();
        return events;
    }

    /** Turns the clock once everybody has set their timers: one that is set a moment later would count from the new hour. */
    void advance(Duration time) {
        settle();
        clock.advance(time);
    }

    /** Waits until no loop has anything to do, twice in a row, since an event may be on its way. */
    void settle() {
        AtomicInteger quiet = new AtomicInteger();
        eventually("all loops idle", () -> {
            boolean idle = controllers.idle()
                    && informers.idle()
                    && clock.untilNext()
                            .filter(next -> next.compareTo(RETRIES) <= 0)
                            .isEmpty();
            return (idle ? quiet.incrementAndGet() : quiet.getAndSet(0)) >= 10;
        });
    }

    @Override
    public void close() {
        controllers.close();
        informers.close();
    }

    private final class Recorder implements EventRecorder {
        @Override
        public void event(ObjectReference about, Type type, String reason, String message) {
            events.add(type + " " + about.getKind() + "/" + about.getName() + " " + reason + ": " + message);
        }

        @Override
        public void event(HasMetadata about, Type type, String reason, String message) {
            events.add(
                    type + " " + about.getKind() + "/" + about.getMetadata().getName() + " " + reason + ": " + message);
        }
    }

    /** The kinds that these tests use. */
    private static final class Catalog implements ResourceCatalog {
        private static final Set<String> VERBS =
                Set.of("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch");

        @Override
        public List<ApiResource> resources() {
            return Stream.of(
                            Pod.class,
                            Job.class,
                            CronJob.class,
                            StatefulSet.class,
                            DaemonSet.class,
                            ControllerRevision.class,
                            PersistentVolumeClaim.class,
                            ReplicaSet.class,
                            Deployment.class,
                            ReplicationController.class,
                            Service.class,
                            Endpoints.class,
                            EndpointSlice.class,
                            ConfigMap.class,
                            Secret.class,
                            ServiceAccount.class,
                            Namespace.class,
                            Node.class)
                    .map(type -> ResourceType.of(type))
                    .map(type -> new ApiResource(
                            new GroupVersion(
                                    type.groupVersion().group(),
                                    type.groupVersion().version()),
                            type.plural(),
                            type.kind(),
                            type.namespaced(),
                            VERBS))
                    .toList();
        }

        @Override
        public void onChange(Runnable listener) {
            // These kinds never change.
        }
    }

    /** Scheduler and node agents in one: places, runs and ends pods, and keeps count of how many serve. */
    private final class Kubelet implements Informer.Handler<Pod> {
        @Override
        public void added(Pod pod) {
            updated(pod, pod);
        }

        @Override
        public void updated(Pod before, Pod pod) {
            count();
            if (silent.contains(Pods.nodeName(pod))) {
                return;
            }
            try {
                if (Pods.isDeleting(pod)) {
                    if (ends.test(pod)) {
                        client.resources(Pod.class)
                                .delete(
                                        pod.getMetadata().getNamespace(),
                                        pod.getMetadata().getName(),
                                        new Resources.DeleteOptions(
                                                0L, null, pod.getMetadata().getUid(), null));
                    }
                } else if (pod.getSpec().getNodeName() == null) {
                    place(pod);
                } else if (!Pods.isReady(pod) && runs.test(pod) && !Pods.isTerminal(pod)) {
                    client.resources(Pod.class).updateStatus(running(pod, true));
                } else if (Pods.isReady(pod) && !Pods.isTerminal(pod) && outcome.apply(pod) != null) {
                    client.resources(Pod.class).updateStatus(finished(pod, outcome.apply(pod)));
                }
            } catch (ApiException e) {
                if (!e.is(Reason.Conflict) && !e.is(Reason.NotFound)) {
                    throw e;
                }
            }
        }

        @Override
        public void deleted(Pod last) {
            count();
        }

        /** A pod that fits nowhere waits. */
        private void place(Pod pod) {
            List<Node> fitting = client.resources(Node.class).list("", java.util.Map.of()).stream()
                    .filter(node -> fits(pod.getSpec(), node))
                    .toList();
            if (!fitting.isEmpty()) {
                Node node = fitting.get(addresses.get() % fitting.size());
                client.resources(Pod.class)
                        .update(new PodBuilder(pod)
                                .editSpec()
                                .withNodeName(node.getMetadata().getName())
                                .endSpec()
                                .build());
            }
        }

        private static boolean fits(PodSpec spec, Node node) {
            return NodeSelectors.allow(spec, node)
                    && (node.getSpec() == null
                            || Tolerations.allow(
                                    spec.getTolerations(), node.getSpec().getTaints()));
        }

        private void count() {
            List<Pod> pods = informers.of(Pod.class).list("default");
            int available = (int) pods.stream()
                    .filter(pod -> Pods.isActive(pod) && Pods.isReady(pod))
                    .count();
            fewestAvailable.accumulateAndGet(available, Math::min);
            mostPods.accumulateAndGet((int) pods.stream().filter(Pods::isActive).count(), Math::max);
        }
    }

    private static String address(int number) {
        return "10.0." + number / 256 + "." + number % 256;
    }

    Pod running(Pod pod, boolean ready) {
        String ip = pod.getStatus() != null && pod.getStatus().getPodIP() != null
                ? pod.getStatus().getPodIP()
                : address(addresses.getAndIncrement());
        return new PodBuilder(pod)
                .withNewStatus()
                .withPhase("Running")
                .withPodIP(ip)
                .addNewPodIP(ip)
                .addNewCondition()
                .withType("Ready")
                .withStatus(ready ? "True" : "False")
                .withLastTransitionTime(Timestamps.format(clock.now()))
                .endCondition()
                .endStatus()
                .build();
    }

    Pod finished(Pod pod, String phase) {
        return new PodBuilder(pod)
                .withNewStatus()
                .withPhase(phase)
                .addNewContainerStatus()
                .withName("main")
                .withNewState()
                .withNewTerminated()
                .withExitCode(phase.equals("Succeeded") ? 0 : 1)
                .withFinishedAt(Timestamps.format(clock.now()))
                .endTerminated()
                .endState()
                .endContainerStatus()
                .endStatus()
                .build();
    }
}
