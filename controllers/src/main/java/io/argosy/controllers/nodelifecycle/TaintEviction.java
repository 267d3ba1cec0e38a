package io.argosy.controllers.nodelifecycle;

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
import io.argosy.controllers.meta.Timestamps;
import io.argosy.controllers.pod.Pods;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Deletes pods from nodes whose NoExecute taints they do not tolerate, or no longer. */
public final class TaintEviction implements Reconciler {
    private static final String BY_NODE = "node";

    private final Resources<Pod> resources;
    private final Informer<Pod> pods;
    private final Informer<Node> nodes;
    private final Clock clock;
    private final EventRecorder events;
    /** Since when the time of pods is running, by their uid; to be able to say that it no longer is. */
    private final Map<String, Instant> condemned = new ConcurrentHashMap<>();

    private TaintEviction(Client client, Informers informers, Clock clock, EventRecorder events) {
        resources = client.resources(Pod.class);
        pods = informers.of(Pod.class);
        nodes = informers.of(Node.class);
        pods.addIndex(BY_NODE, pod -> List.of(Pods.nodeName(pod)));
        this.clock = clock;
        this.events = events;
    }

    public static Controller controller(Client client, Informers informers, Clock clock, EventRecorder events) {
        TaintEviction eviction = new TaintEviction(client, informers, clock, events);
        Controller.Builder builder =
                Controller.named("taint-eviction-controller", informers, clock).maps(Pod.class, eviction::ifTainted);
        informers.of(Node.class).addHandler(eviction.wakePods(builder.queue()));
        return builder.reconciler(eviction);
    }

    private Collection<NamespacedName> ifTainted(Pod pod) {
        boolean concerned = condemned.containsKey(pod.getMetadata().getUid())
                || nodeOf(pod).filter(TaintEviction::isTainted).isPresent();
        return concerned ? List.of(nameOf(pod)) : List.of();
    }

    private Informer.Handler<Node> wakePods(WorkQueue<NamespacedName> queue) {
        return new Informer.Handler<>() {
            @Override
            public void added(Node node) {
                if (isTainted(node)) {
                    wake(node);
                }
            }

            @Override
            public void updated(Node before, Node after) {
                if (!NodeTaints.taints(before).equals(NodeTaints.taints(after))
                        && (isTainted(before) || isTainted(after))) {
                    wake(after);
                }
            }

            @Override
            public void deleted(Node last) {
                wake(last);
            }

            private void wake(Node node) {
                pods.byIndex(BY_NODE, node.getMetadata().getName()).forEach(pod -> queue.add(nameOf(pod)));
            }
        };
    }

    private Optional<Node> nodeOf(Pod pod) {
        return nodes.get(NamespacedName.cluster(Pods.nodeName(pod)));
    }

    private static boolean isTainted(Node node) {
        return NodeTaints.taints(node).stream().anyMatch(taint -> "NoExecute".equals(taint.getEffect()));
    }

    private static NamespacedName nameOf(Pod pod) {
        return NamespacedName.of(
                pod.getMetadata().getNamespace(), pod.getMetadata().getName());
    }

    @Override
    public Result reconcile(NamespacedName key) {
        Pod pod = pods.get(key).orElse(null);
        if (pod == null) {
            return Result.done();
        }
        String uid = pod.getMetadata().getUid();
        if (!Pods.isActive(pod)) {
            condemned.remove(uid);
            return Result.done();
        }
        Instant now = clock.now();
        Instant noticed = condemned.getOrDefault(uid, now);
        Optional<Instant> due = nodeOf(pod)
                .flatMap(node ->
                        Eviction.due(NodeTaints.taints(node), pod.getSpec().getTolerations(), noticed));
        if (due.isEmpty()) {
            if (condemned.remove(uid) != null) {
                tell(pod, "Cancelling deletion of Pod ");
            }
            return Result.done();
        }
        condemned.put(uid, noticed);
        if (due.get().isAfter(now)) {
            return Result.after(Duration.between(now, due.get()));
        }
        evict(pod, now);
        condemned.remove(uid);
        return Result.done();
    }

    private void tell(Pod pod, String what) {
        events.event(pod, EventRecorder.Type.Normal, "TaintManagerEviction", what + nameOf(pod));
    }

    private void evict(Pod pod, Instant now) {
        tell(pod, "Marking for deletion Pod ");
        ObjectNode patch = Json.object();
        patch.putObject("metadata").put("uid", pod.getMetadata().getUid());
        patch.putObject("status")
                .putArray("conditions")
                .addObject()
                .put("type", "DisruptionTarget")
                .put("status", "True")
                .put("reason", "DeletionByTaintManager")
                .put("message", "Taint manager: deleting due to NoExecute taint")
                .put("lastTransitionTime", Timestamps.format(now));
        String namespace = pod.getMetadata().getNamespace();
        String name = pod.getMetadata().getName();
        try {
            resources.patchStatus(namespace, name, PatchType.STRATEGIC, patch);
            resources.delete(
                    namespace,
                    name,
                    DeleteOptions.DEFAULT.ifUid(pod.getMetadata().getUid()));
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound) && !e.is(Reason.Conflict)) {
                throw e;
            }
        }
    }
}
