package io.argosy.controllers.daemonset;

import io.argosy.api.NamespacedName;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.LabelSelectors;
import io.argosy.client.Resources;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.controller.WorkQueue;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.history.HistoryHand;
import io.argosy.controllers.history.RevisionHistory;
import io.argosy.controllers.meta.Adoption;
import io.argosy.controllers.meta.Claim;
import io.argosy.controllers.meta.Wanted;
import io.argosy.controllers.meta.WrittenSelectors;
import io.argosy.controllers.pod.OrphanPods;
import io.argosy.controllers.pod.PodHand;
import io.argosy.controllers.pod.PodIndex;
import io.argosy.controllers.pod.Pods;
import io.argosy.controllers.pod.SlowStart;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

/** Keeps one pod of a daemon set on every node that should have one. */
public final class DaemonSetReconciler implements Reconciler {
    private final Resources<DaemonSet> setResources;
    private final Resources<Pod> podResources;
    private final Informer<DaemonSet> sets;
    private final Informer<Node> nodes;
    private final HistoryHand<DaemonSet> history;
    private final PodIndex pods;
    private final PodHand hand;
    private final Adoption<DaemonSet, Pod> adoption;
    private final Wanted<DaemonSet> wanted;
    private final FailedPods failedPods = new FailedPods();
    private final EventRecorder events;
    private final Clock clock;

    private DaemonSetReconciler(Client client, Informers informers, Clock clock, EventRecorder events) {
        setResources = client.resources(DaemonSet.class);
        podResources = client.resources(Pod.class);
        sets = informers.of(DaemonSet.class);
        nodes = informers.of(Node.class);
        history = new HistoryHand<>(client, informers, DaemonSet.class);
        pods = new PodIndex(informers.of(Pod.class));
        hand = new PodHand(client, events);
        adoption = new Adoption<>(client, DaemonSet.class, Pod.class);
        wanted = new Wanted<>(client, DaemonSet.class);
        this.events = events;
        this.clock = clock;
    }

    public static Controller controller(Client client, Informers informers, Clock clock, EventRecorder events) {
        DaemonSetReconciler reconciler = new DaemonSetReconciler(client, informers, clock, events);
        Controller.Builder builder = Controller.named("daemonset-controller", informers, clock)
                .watches(DaemonSet.class)
                .owns(Pod.class, DaemonSet.class)
                .maps(
                        Pod.class,
                        OrphanPods.wake(
                                reconciler.sets,
                                (set, labels) ->
                                        LabelSelectors.matches(set.getSpec().getSelector(), labels)))
                .owns(ControllerRevision.class, DaemonSet.class);
        informers.of(Node.class).addHandler(reconciler.wakeAll(builder.queue()));
        informers.of(DaemonSet.class).addHandler(reconciler.forgetFailures());
        return builder.reconciler(reconciler);
    }

    private Informer.Handler<DaemonSet> forgetFailures() {
        return new Informer.Handler<>() {
            @Override
            public void added(DaemonSet set) {
                // A new set has no failures.
            }

            @Override
            public void updated(DaemonSet before, DaemonSet after) {
                // Failures stay while the set does.
            }

            @Override
            public void deleted(DaemonSet last) {
                failedPods.forget(last.getMetadata().getUid());
            }
        };
    }

    /** A node's heartbeat changes its status all the time; only labels and taints decide where daemons run. */
    private Informer.Handler<Node> wakeAll(WorkQueue<NamespacedName> queue) {
        return new Informer.Handler<>() {
            @Override
            public void added(Node node) {
                sets.list()
                        .forEach(set -> queue.add(NamespacedName.of(
                                set.getMetadata().getNamespace(),
                                set.getMetadata().getName())));
            }

            @Override
            public void updated(Node before, Node after) {
                if (!Objects.equals(
                                before.getMetadata().getLabels(),
                                after.getMetadata().getLabels())
                        || !Objects.equals(before.getSpec(), after.getSpec())) {
                    added(after);
                }
            }

            @Override
            public void deleted(Node last) {
                added(last);
            }
        };
    }

    @Override
    public Result reconcile(NamespacedName key) throws Exception {
        DaemonSet set = sets.get(key).orElse(null);
        if (set == null) {
            return Result.done();
        }
        List<Pod> own = adoption.carryOut(
                set,
                Claim.of(
                        set,
                        candidates(set),
                        pod -> LabelSelectors.matches(
                                set.getSpec().getSelector(), pod.getMetadata().getLabels())));
        RevisionHistory known = settle(set, own);
        String hash = hash(known.update());
        Instant now = clock.now();
        String uid = set.getMetadata().getUid();
        DaemonPlan plan = DaemonPlan.decide(
                set,
                new DaemonPlan.Observed(
                        nodes.list(),
                        own,
                        node -> failedPods.left(uid, node, now).isPresent(),
                        now),
                hash);
        if (!plan.create().isEmpty() && !wanted.still(set)) {
            return Result.done();
        }
        plan.status().setCollisionCount(known.collisionCount());
        try {
            carryOut(set, plan, hash);
            history.forget(known);
        } catch (ApiException e) {
            if (e.is(Reason.NotFound)) {
                return Result.done();
            }
            throw e;
        }
        int minReady =
                set.getSpec().getMinReadySeconds() == null ? 0 : set.getSpec().getMinReadySeconds();
        return Stream.concat(
                        Pods.nextAvailable(own, minReady, now).stream(),
                        own.stream()
                                .filter(pod -> Pods.phase(pod).equals("Failed"))
                                .flatMap(pod -> failedPods.left(uid, DaemonPod.node(pod), now).stream()))
                .min(Comparator.naturalOrder())
                .map(Result::after)
                .orElse(Result.done());
    }

    /**
     * The pods that are, or may become, the set's own. Of a new set the API tells them: a namesake may just have left them behind, and who
     * does not know yet that they are free would put a second pod beside each.
     */
    private List<Pod> candidates(DaemonSet set) {
        Long observed = set.getStatus() == null ? null : set.getStatus().getObservedGeneration();
        return observed == null || observed == 0
                ? podResources.list(
                        set.getMetadata().getNamespace(),
                        Map.of(
                                "labelSelector",
                                WrittenSelectors.query(set.getSpec().getSelector())))
                : pods.candidates(set);
    }

    private static String hash(ControllerRevision revision) {
        String name = revision.getMetadata().getName();
        return revision.getMetadata().getLabels().getOrDefault(DaemonPod.HASH, name);
    }

    private RevisionHistory settle(DaemonSet set, List<Pod> own) {
        Set<String> live = new HashSet<>();
        own.forEach(pod -> live.add(set.getMetadata().getName() + "-"
                + pod.getMetadata().getLabels().get(DaemonPod.HASH)));
        Integer limit = set.getSpec().getRevisionHistoryLimit();
        return history.settle(new HistoryHand.Owner<>(
                set,
                set.getSpec().getSelector(),
                set.getSpec().getTemplate(),
                null,
                set.getStatus() == null ? null : set.getStatus().getCollisionCount(),
                new RevisionHistory.Keeping(limit == null ? 10 : limit, live)));
    }

    private void carryOut(DaemonSet set, DaemonPlan plan, String hash) throws Exception {
        for (Pod pod : plan.ended()) {
            boolean failed = Pods.phase(pod).equals("Failed");
            if (failed) {
                failedPods.replaced(set.getMetadata().getUid(), DaemonPod.node(pod), clock.now());
            }
            events.event(
                    set,
                    failed ? EventRecorder.Type.Warning : EventRecorder.Type.Normal,
                    failed ? "FailedDaemonPod" : "SucceededDaemonPod",
                    "Found " + (failed ? "failed" : "succeeded") + " daemon pod "
                            + pod.getMetadata().getNamespace() + "/"
                            + pod.getMetadata().getName() + " on node " + DaemonPod.node(pod) + ", will try to "
                            + (failed ? "kill" : "delete") + " it");
        }
        SlowStart.run(plan.create().stream()
                .map(node -> Executors.callable(() -> hand.create(DaemonPod.instantiate(set, node, hash), set)))
                .toList());
        SlowStart.all(plan.delete().stream()
                .map(pod -> Executors.callable(() -> hand.delete(pod, set)))
                .toList());
        if (!plan.status().equals(set.getStatus())) {
            DaemonSet copy = new DaemonSet();
            copy.setMetadata(set.getMetadata());
            copy.setSpec(set.getSpec());
            copy.setStatus(plan.status());
            setResources.updateStatus(copy);
        }
    }
}
