package io.argosy.controllers.nodelifecycle;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.NamespacedName;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.client.Resources.PatchType;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.controller.WorkQueue;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.client.model.Models;
import io.argosy.controllers.meta.Timestamps;
import io.argosy.controllers.node.Nodes;
import io.argosy.controllers.pod.Pods;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Notices when a node falls silent: says so in its conditions and those of its pods, and taints it. Leases are read when a node's
 * time may be up, not watched: there is one renewal for every node every ten seconds, and nearly all of them are no news.
 */
public final class NodeLifecycle implements Reconciler {
    private static final String LEASES = "kube-node-lease";
    private static final String BY_NODE = "node";
    private static final String TROUBLED = "troubled";

    private final Resources<Node> nodeResources;
    private final Resources<Pod> podResources;
    private final Resources<Lease> leases;
    private final Informer<Node> nodes;
    private final Informer<Pod> pods;
    private final Clock clock;
    private final EventRecorder events;
    private final Map<String, Heartbeat> heartbeats = new ConcurrentHashMap<>();
    private final ZoneTurns turns = new ZoneTurns();

    private NodeLifecycle(Client client, Informers informers, Clock clock, EventRecorder events) {
        nodeResources = client.resources(Node.class);
        podResources = client.resources(Pod.class);
        leases = client.resources(Lease.class);
        nodes = informers.of(Node.class);
        nodes.addIndex(TROUBLED, node -> Nodes.isReady(node) ? List.of() : List.of(TROUBLED));
        pods = informers.of(Pod.class);
        pods.addIndex(BY_NODE, pod -> List.of(Pods.nodeName(pod)));
        this.clock = clock;
        this.events = events;
    }

    public static Controller controller(Client client, Informers informers, Clock clock, EventRecorder events) {
        NodeLifecycle lifecycle = new NodeLifecycle(client, informers, clock, events);
        Controller.Builder builder = Controller.named("node-lifecycle-controller", informers, clock)
                .watches(Node.class)
                .workers(1);
        informers.of(Node.class).addHandler(lifecycle.neighbours(builder.queue()));
        return builder.reconciler(lifecycle);
    }

    /** How one node fares changes how its neighbours in trouble are treated. */
    private Informer.Handler<Node> neighbours(WorkQueue<NamespacedName> queue) {
        return new Informer.Handler<>() {
            @Override
            public void added(Node node) {
                wake();
            }

            @Override
            public void updated(Node before, Node after) {
                if (Nodes.isReady(before) != Nodes.isReady(after)) {
                    wake();
                }
            }

            @Override
            public void deleted(Node last) {
                wake();
                tell(last, "RemovingNode", "Removing Node " + last.getMetadata().getName() + " from Controller");
            }

            private void wake() {
                for (Node node : nodes.byIndex(TROUBLED, TROUBLED)) {
                    queue.add(NamespacedName.cluster(node.getMetadata().getName()));
                }
            }
        };
    }

    @Override
    public Result reconcile(NamespacedName key) {
        Node node = nodes.get(key).orElse(null);
        try {
            if (node == null) {
                forget(key.name());
                return Result.done();
            }
            return look(node);
        } catch (ApiException e) {
            if (e.is(Reason.NotFound)) {
                return Result.done();
            }
            throw e;
        }
    }

    private void forget(String name) {
        heartbeats.remove(name);
        if (leases.find(LEASES, name).isPresent()) {
            leases.delete(LEASES, name, DeleteOptions.DEFAULT);
        }
    }

    private Result look(Node node) {
        String name = node.getMetadata().getName();
        Instant now = clock.now();
        Heartbeat before = heartbeats.get(name);
        Heartbeat heartbeat = Heartbeat.observe(before, node, leases.find(LEASES, name), now);
        heartbeats.put(name, heartbeat);
        if (before == null) {
            tell(node, "RegisteredNode", "Registered Node " + name + " in Controller");
        }
        Duration left = heartbeat.left(node, now);
        if (!left.isPositive()) {
            List<NodeCondition> unknown = NodeConditions.unknown(node, now);
            if (!unknown.isEmpty()) {
                writeConditions(node, unknown);
                return Result.done();
            }
        }
        if (NodeConditions.readiness(node).equals("Unknown")
                && NodeConditions.ready(node).isPresent()) {
            markPodsNotReady(name);
        }
        Optional<Duration> turn = taint(node, now);
        Duration next = left.isPositive() ? left : Heartbeat.GRACE;
        boolean known = left.isPositive()
                ? Nodes.isReady(node)
                : NodeConditions.readiness(node).equals("Unknown");
        if (turn.isEmpty() && known) {
            return Result.watching(next);
        }
        return Result.after(turn.filter(wait -> wait.compareTo(next) < 0).orElse(next));
    }

    private void writeConditions(Node node, List<NodeCondition> conditions) {
        ObjectNode patch = Json.object();
        ArrayNode list = patch.putObject("status").putArray("conditions");
        conditions.forEach(condition -> list.add(Models.<ObjectNode>toTree(condition)));
        boolean wasReady = Nodes.isReady(node);
        nodeResources.patchStatus("", node.getMetadata().getName(), PatchType.STRATEGIC, patch);
        if (wasReady) {
            events.event(
                    reference(node),
                    EventRecorder.Type.Normal,
                    "NodeNotReady",
                    "Node " + node.getMetadata().getName() + " status is now: NodeNotReady");
        }
    }

    /** Taints the node as it fares; how long until it is its turn to have its pods driven out, if it has to wait. */
    private Optional<Duration> taint(Node node, Instant now) {
        String driving = NodeConditions.ready(node).isEmpty() ? null : NodeTaints.trouble(node);
        Optional<Duration> wait = Optional.empty();
        String zone = ZoneState.zoneOf(node);
        boolean usesTurn = false;
        if (driving != null && ZoneState.allLost(nodes.list())) {
            driving = null;
        } else if (driving != null && !NodeTaints.drives(node)) {
            wait = turns.wait(zone, ZoneState.rate(zone, nodes.list()), now);
            usesTurn = wait.filter(Duration::isZero).isPresent();
            driving = usesTurn ? driving : null;
        }
        List<Taint> wanted = NodeTaints.wanted(node, driving, now);
        if (!wanted.equals(NodeTaints.taints(node))) {
            ObjectNode patch = Json.object();
            patch.putObject("metadata")
                    .put("resourceVersion", node.getMetadata().getResourceVersion());
            ArrayNode list = patch.putObject("spec").putArray("taints");
            wanted.forEach(taint -> list.add(Models.<ObjectNode>toTree(taint)));
            nodeResources.patch("", node.getMetadata().getName(), PatchType.MERGE, patch);
        }
        if (usesTurn) {
            turns.used(zone, now);
            return Optional.empty();
        }
        return wait;
    }

    private void markPodsNotReady(String node) {
        for (Pod pod : pods.byIndex(BY_NODE, node)) {
            if (Pods.isReady(pod) && !Pods.isTerminal(pod)) {
                ObjectNode patch = Json.object();
                patch.putObject("metadata").put("uid", pod.getMetadata().getUid());
                patch.putObject("status")
                        .putArray("conditions")
                        .addObject()
                        .put("type", "Ready")
                        .put("status", "False")
                        .put("lastTransitionTime", Timestamps.format(clock.now()));
                try {
                    podResources.patchStatus(
                            pod.getMetadata().getNamespace(), pod.getMetadata().getName(), PatchType.STRATEGIC, patch);
                    events.event(pod, EventRecorder.Type.Warning, "NodeNotReady", "Node is not ready");
                } catch (ApiException e) {
                    if (!e.is(Reason.NotFound)) {
                        throw e;
                    }
                }
            }
        }
    }

    private void tell(Node node, String reason, String what) {
        events.event(
                reference(node),
                EventRecorder.Type.Normal,
                reason,
                "Node " + node.getMetadata().getName() + " event: " + what);
    }

    /** By its uid alone, as kubectl looks for a node's events. */
    private static ObjectReference reference(Node node) {
        return new ObjectReferenceBuilder()
                .withApiVersion("v1")
                .withKind("Node")
                .withName(node.getMetadata().getName())
                .withUid(node.getMetadata().getUid())
                .build();
    }
}
