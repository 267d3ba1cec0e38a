package io.argosy.controllers.podgc;

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
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.meta.Timestamps;
import io.argosy.controllers.node.Nodes;
import io.argosy.controllers.pod.Pods;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/** Removes pods that no node will ever remove: on nodes that are gone or out of service, never placed, or long finished and too many. */
public final class PodCollector implements Reconciler {
    private static final String BY_NODE = "node";
    private static final String FINISHED = "finished";
    /** How long a node may be missing before its pods are given up. */
    private static final Duration QUARANTINE = Duration.ofSeconds(40);
    /** As many finished pods as are kept. */
    private static final int MAX_FINISHED = 12_500;

    private final Resources<Pod> podResources;
    private final Resources<Node> nodeResources;
    private final Informer<Pod> pods;
    private final Informer<Node> nodes;
    private final Clock clock;
    private final int maxFinished;
    private final MissingNodes missing = new MissingNodes();

    PodCollector(Client client, Informers informers, Clock clock, int maxFinished) {
        podResources = client.resources(Pod.class);
        nodeResources = client.resources(Node.class);
        pods = informers.of(Pod.class);
        nodes = informers.of(Node.class);
        this.clock = clock;
        this.maxFinished = maxFinished;
        pods.addIndex(BY_NODE, pod -> List.of(Pods.nodeName(pod)));
        pods.addIndex(FINISHED, pod -> Pods.isTerminal(pod) ? List.of(FINISHED) : List.of());
    }

    public static Controller controller(Client client, Informers informers, Clock clock) {
        PodCollector collector = new PodCollector(client, informers, clock, MAX_FINISHED);
        Controller.Builder builder = Controller.named("pod-garbage-collector-controller", informers, clock)
                .watches(Pod.class)
                .workers(1);
        informers.of(Node.class).addHandler(collector.wakePods(builder.queue()));
        return builder.reconciler(collector);
    }

    private Informer.Handler<Node> wakePods(WorkQueue<NamespacedName> queue) {
        return new Informer.Handler<>() {
            @Override
            public void added(Node node) {
                missing.forget(node.getMetadata().getName());
            }

            @Override
            public void updated(Node before, Node after) {
                if (isGivenUp(before) != isGivenUp(after)) {
                    deleted(after);
                }
            }

            @Override
            public void deleted(Node last) {
                pods.byIndex(BY_NODE, last.getMetadata().getName())
                        .forEach(pod -> queue.add(NamespacedName.of(
                                pod.getMetadata().getNamespace(),
                                pod.getMetadata().getName())));
            }
        };
    }

    @Override
    public Result reconcile(NamespacedName key) {
        Pod pod = pods.get(key).orElse(null);
        if (pod == null) {
            missing.keepOnly(node -> !pods.byIndex(BY_NODE, node).isEmpty());
            return Result.done();
        }
        String nodeName = Pods.nodeName(pod);
        if (nodeName.isEmpty()) {
            if (Pods.isDeleting(pod)) {
                remove(pod, null);
            }
            return Result.done();
        }
        Node node = nodes.get(NamespacedName.cluster(nodeName)).orElse(null);
        if (node == null) {
            return giveUp(pod, nodeName);
        }
        if (Pods.isDeleting(pod) && isGivenUp(node)) {
            remove(pod, null);
        } else if (Pods.isTerminal(pod)) {
            removeSurplus();
        }
        return Result.done();
    }

    private Result giveUp(Pod pod, String nodeName) {
        Instant since = missing.since(nodeName, clock.now());
        Duration left = Duration.between(clock.now(), since.plus(QUARANTINE));
        if (left.isPositive()) {
            return Result.after(left);
        }
        if (nodeResources.find("", nodeName).isEmpty()) {
            remove(pod, "PodGC: node no longer exists");
        }
        return Result.done();
    }

    private void removeSurplus() {
        List<Pod> finished = pods.byIndex(FINISHED, FINISHED);
        finished.stream()
                .sorted(Comparator.comparing(
                                (Pod pod) -> !"Evicted".equals(pod.getStatus().getReason()))
                        .thenComparing(pod -> pod.getMetadata().getCreationTimestamp())
                        .thenComparing(pod -> pod.getMetadata().getName()))
                .limit(Math.max(0, finished.size() - maxFinished))
                .forEach(pod -> remove(pod, null));
    }

    /** Marks the pod as failed, so that whoever counts it counts it right, and deletes it without waiting for a node. */
    private void remove(Pod pod, String disruption) {
        String namespace = pod.getMetadata().getNamespace();
        String name = pod.getMetadata().getName();
        try {
            if (!Pods.isTerminal(pod)) {
                ObjectNode patch = Json.object();
                patch.putObject("metadata").put("uid", pod.getMetadata().getUid());
                ObjectNode status = patch.putObject("status").put("phase", "Failed");
                if (disruption != null) {
                    status.putArray("conditions")
                            .addObject()
                            .put("type", "DisruptionTarget")
                            .put("status", "True")
                            .put("reason", "DeletionByPodGC")
                            .put("message", disruption)
                            .put("lastTransitionTime", Timestamps.format(clock.now()));
                }
                podResources.patchStatus(namespace, name, PatchType.STRATEGIC, patch);
            }
            podResources.delete(
                    namespace,
                    name,
                    new DeleteOptions(0L, null, pod.getMetadata().getUid(), null));
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound)) {
                throw e;
            }
        }
    }

    /** Whether the node is said to be out of service and no longer answers, whichever came first. */
    private static boolean isGivenUp(Node node) {
        return !Nodes.isReady(node)
                && node.getSpec() != null
                && node.getSpec().getTaints().stream()
                        .anyMatch(taint -> Objects.equals(taint.getKey(), "node.kubernetes.io/out-of-service"));
    }
}
