package io.argosy.node.simulated;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.NamespacedName;
import io.argosy.api.json.Json;
import io.argosy.api.names.CsiVolume;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.Resources;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.fabric8.kubernetes.api.model.AttachedVolume;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.storage.CSIDriver;
import io.fabric8.kubernetes.api.model.storage.CSIDriverSpec;
import io.fabric8.kubernetes.api.model.storage.VolumeAttachment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The volumes of a fleet's pods that a driver must attach first: a pod waits for them, and its node says that it uses them until the pod is
 * gone. A pod without claims has nothing to do with this.
 */
final class AttachedVolumes {
    private static final Logger LOG = LoggerFactory.getLogger(AttachedVolumes.class);
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final Fleet fleet;
    private final Scene scene;
    private final NodeClients clients;
    private final Informers informers;
    private final Informer<Pod> pods;
    private final Informer<PersistentVolumeClaim> claims;
    private final Informer<PersistentVolume> volumes;
    private final Clock clock;
    /** What pods with claims use, by uid; stays as it was found when the pod began, whatever becomes of its claims. */
    private final Map<String, Use> uses = new ConcurrentHashMap<>();
    /** Pods that cannot start yet, by uid. */
    private final Map<String, Waiter> waiting = new ConcurrentHashMap<>();
    /** What the nodes have said last. */
    private final Map<Integer, Ledger> ledgers = new ConcurrentHashMap<>();

    private final AtomicInteger unfinished = new AtomicInteger();
    private volatile boolean closed;

    private record Use(int node, List<CsiVolume> volumes) {}

    private record Waiter(int node, boolean bound, Runnable again) {}

    /** Its own monitor keeps the reports of a node in order. */
    private static final class Ledger {
        private Set<String> written;
    }

    AttachedVolumes(Fleet fleet, Scene scene, NodeClients clients, Informers informers, Clock clock) {
        this.fleet = fleet;
        this.scene = scene;
        this.clients = clients;
        this.informers = informers;
        this.clock = clock;
        pods = informers.of(Pod.class);
        claims = informers.of(PersistentVolumeClaim.class);
        volumes = informers.of(PersistentVolume.class);
        claims.addHandler(Informer.Handler.onAny(claim -> wakeUnbound()));
        volumes.addHandler(Informer.Handler.onAny(volume -> wakeUnbound()));
        informers.of(Node.class).addHandler(new NodeNews());
    }

    boolean idle() {
        return unfinished.get() == 0;
    }

    void close() {
        closed = true;
    }

    /** Whether the pod has claims, and so may have to wait. */
    static boolean concern(Pod pod) {
        return pod.getSpec().getVolumes() != null
                && pod.getSpec().getVolumes().stream().anyMatch(volume -> claimName(pod, volume) != null);
    }

    /** True when all that the pod needs is attached to its node; else the task is run as soon as that may have changed. */
    boolean ready(int node, Pod pod, Runnable again) {
        String uid = pod.getMetadata().getUid();
        waiting.put(uid, new Waiter(node, false, again)); // before looking, so that no news is missed
        awaitSync();
        Optional<Use> use = use(node, pod);
        if (use.isEmpty()) {
            return false;
        }
        if (!use.get().volumes().isEmpty()) {
            waiting.put(uid, new Waiter(node, true, again));
            report(node);
            if (!areAttached(node, use.get().volumes())) {
                return false;
            }
        }
        waiting.remove(uid);
        return true;
    }

    /** The pod uses its volumes no more. */
    void released(Pod pod) {
        String uid = pod.getMetadata().getUid();
        waiting.remove(uid);
        Use use = uses.remove(uid);
        int node = fleet.numberOf(pod.getSpec().getNodeName());
        // Of a pod that is not known a report that is being made may have heard.
        if (use == null ? ledgers.containsKey(node) : !use.volumes().isEmpty()) {
            reportBeside(node);
        }
    }

    /** The node is there again, and what it used may have gone meanwhile. */
    void resume(int node) {
        reportBeside(node);
    }

    private Optional<Use> use(int node, Pod pod) {
        String uid = pod.getMetadata().getUid();
        Use known = uses.get(uid);
        if (known != null) {
            return Optional.of(known);
        }
        List<CsiVolume> found = new ArrayList<>();
        for (Volume volume : pod.getSpec().getVolumes()) {
            if (claimName(pod, volume) != null) {
                Optional<PersistentVolume> bound = bound(pod, volume);
                if (bound.isEmpty()) {
                    return Optional.empty();
                }
                csi(bound.get()).filter(csi -> mustBeAttached(node, csi)).ifPresent(found::add);
            }
        }
        Use use = new Use(node, List.copyOf(found));
        uses.put(uid, use);
        return Optional.of(use);
    }

    private Optional<PersistentVolume> bound(Pod pod, Volume volume) {
        return claims.get(NamespacedName.of(pod.getMetadata().getNamespace(), claimName(pod, volume)))
                .filter(claim -> claim.getStatus() != null
                        && "Bound".equals(claim.getStatus().getPhase()))
                .flatMap(claim ->
                        volumes.get(NamespacedName.cluster(claim.getSpec().getVolumeName())));
    }

    private static String claimName(Pod pod, Volume volume) {
        if (volume.getPersistentVolumeClaim() != null) {
            return volume.getPersistentVolumeClaim().getClaimName();
        }
        return volume.getEphemeral() == null ? null : pod.getMetadata().getName() + "-" + volume.getName();
    }

    private static Optional<CsiVolume> csi(PersistentVolume volume) {
        return Optional.ofNullable(volume.getSpec().getCsi())
                .filter(source -> source.getDriver() != null && source.getVolumeHandle() != null)
                .map(source -> new CsiVolume(source.getDriver(), source.getVolumeHandle()));
    }

    private boolean mustBeAttached(int node, CsiVolume volume) {
        return clients.of(node, CSIDriver.class)
                .find("", volume.driver())
                .map(CSIDriver::getSpec)
                .map(CSIDriverSpec::getAttachRequired)
                .orElse(true);
    }

    private boolean areAttached(int node, List<CsiVolume> needed) {
        String name = fleet.name(node);
        Optional<Node> present = clients.of(node, Node.class).find("", name);
        if (present.isEmpty()) {
            return false;
        }
        List<String> listed =
                attached(present.get()).stream().map(AttachedVolume::getName).toList();
        return needed.stream()
                .allMatch(volume -> listed.contains(volume.uniqueName())
                        && clients.of(node, VolumeAttachment.class)
                                .find("", volume.attachmentTo(name))
                                .filter(AttachedVolumes::isAttached)
                                .isPresent());
    }

    private static boolean isAttached(VolumeAttachment attachment) {
        return attachment.getMetadata().getDeletionTimestamp() == null
                && attachment.getStatus() != null
                && Boolean.TRUE.equals(attachment.getStatus().getAttached());
    }

    private static List<AttachedVolume> attached(Node node) {
        List<AttachedVolume> attached =
                node.getStatus() == null ? null : node.getStatus().getVolumesAttached();
        return attached == null ? List.of() : attached;
    }

    /** Brings the list of what the node uses up to date; a lost node says nothing. */
    private void report(int node) {
        if (scene.isLost(fleet.name(node))) {
            return;
        }
        Ledger ledger = ledgers.computeIfAbsent(node, number -> new Ledger());
        synchronized (ledger) {
            Set<String> used = inUse(node);
            if (used.equals(ledger.written)) {
                return;
            }
            ObjectNode patch = Json.object();
            ArrayNode list = JsonNodeFactory.instance.arrayNode();
            used.forEach(list::add);
            patch.putObject("status").set("volumesInUse", used.isEmpty() ? null : list);
            try {
                clients.of(node, Node.class).patchStatusOnly("", fleet.name(node), Resources.PatchType.MERGE, patch);
                ledger.written = used;
            } catch (ApiException e) {
                if (!e.is(Reason.NotFound)) {
                    throw e;
                }
                ledger.written = null; // it says so when it is registered
            }
        }
    }

    private Set<String> inUse(int node) {
        String name = fleet.name(node);
        Set<String> used = new TreeSet<>();
        for (Pod pod : pods.list()) {
            if (name.equals(pod.getSpec().getNodeName()) && concern(pod) && !PodPlayer.isFinished(pod)) {
                use(node, pod).ifPresent(use -> use.volumes().forEach(volume -> used.add(volume.uniqueName())));
            }
        }
        return used;
    }

    private void reportBeside(int node) {
        unfinished.incrementAndGet();
        clock.hold();
        Thread.ofVirtual().name("simulated-volumes").start(() -> {
            try {
                awaitSync();
                if (!closed) {
                    report(node);
                }
            } catch (RuntimeException e) {
                if (!closed) {
                    LOG.warn("{} will say again what it uses: {}", fleet.name(node), e.toString());
                    clock.schedule(RETRY, () -> reportBeside(node));
                }
            } finally {
                unfinished.decrementAndGet();
                clock.release();
            }
        });
    }

    private void awaitSync() {
        try {
            informers.awaitSync();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted before the first lists were there", e);
        }
    }

    private void wakeUnbound() {
        waiting.values().stream()
                .filter(waiter -> !waiter.bound())
                .forEach(waiter -> waiter.again().run());
    }

    /** What becomes of the nodes in the eyes of the control plane. */
    private final class NodeNews implements Informer.Handler<Node> {
        @Override
        public void added(Node node) {
            int number = fleet.numberOf(node.getMetadata().getName());
            if (number < 0) {
                return;
            }
            List<String> said =
                    node.getStatus() == null ? null : node.getStatus().getVolumesInUse();
            boolean stale = said != null && !said.isEmpty();
            if (stale || uses.values().stream().anyMatch(use -> use.node() == number)) {
                reportBeside(number);
            }
            wake(number);
        }

        @Override
        public void updated(Node before, Node after) {
            if (!waiting.isEmpty() && !Objects.equals(attached(before), attached(after))) {
                wake(fleet.numberOf(after.getMetadata().getName()));
            }
        }

        @Override
        public void deleted(Node last) {
            ledgers.remove(fleet.numberOf(last.getMetadata().getName()));
        }

        private void wake(int node) {
            waiting.values().stream()
                    .filter(waiter -> waiter.node() == node)
                    .forEach(waiter -> waiter.again().run());
        }
    }
}
