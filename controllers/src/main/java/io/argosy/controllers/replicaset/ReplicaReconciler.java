package io.argosy.controllers.replicaset;

import io.argosy.api.NamespacedName;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Owners;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.meta.Adoption;
import io.argosy.controllers.meta.Claim;
import io.argosy.controllers.meta.Wanted;
import io.argosy.controllers.pod.OrphanPods;
import io.argosy.controllers.pod.PodHand;
import io.argosy.controllers.pod.PodIndex;
import io.argosy.controllers.pod.Pods;
import io.argosy.controllers.pod.SlowStart;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ReplicationController;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;

/** Keeps as many pods of a template running as a ReplicaSet or a ReplicationController asks for. */
public final class ReplicaReconciler<T extends HasMetadata> implements Reconciler {
    /** Finds sets that belong to the same parent. */
    private static final String BY_PARENT = "controller";

    private final ReplicaKind<T> kind;
    private final Client client;
    private final Clock clock;
    private final Informer<T> sets;
    private final PodIndex pods;
    private final PodHand hand;
    private final Adoption<T, Pod> adoption;
    private final Wanted<T> wanted;

    private ReplicaReconciler(
            ReplicaKind<T> kind, Client client, Informers informers, Clock clock, EventRecorder events) {
        this.kind = kind;
        this.client = client;
        this.clock = clock;
        sets = informers.of(kind.type());
        sets.addIndex(
                BY_PARENT,
                set -> Owners.controllerOf(set)
                        .map(owner -> List.of(owner.getUid()))
                        .orElse(List.of()));
        pods = new PodIndex(informers.of(Pod.class));
        hand = new PodHand(client, events);
        adoption = new Adoption<>(client, kind.type(), Pod.class);
        wanted = new Wanted<>(client, kind.type());
    }

    public static Controller ofReplicaSets(Client client, Informers informers, Clock clock, EventRecorder events) {
        return new ReplicaReconciler<ReplicaSet>(new ReplicaSetKind(), client, informers, clock, events)
                .controller("replicaset-controller", informers);
    }

    public static Controller ofReplicationControllers(
            Client client, Informers informers, Clock clock, EventRecorder events) {
        return new ReplicaReconciler<ReplicationController>(
                        new ReplicationControllerKind(), client, informers, clock, events)
                .controller("replication-controller", informers);
    }

    private Controller controller(String name, Informers informers) {
        return Controller.named(name, informers, clock)
                .watches(kind.type())
                .owns(Pod.class, kind.type())
                .maps(Pod.class, OrphanPods.wake(sets, kind::selects))
                .reconciler(this);
    }

    @Override
    public Result reconcile(NamespacedName key) throws Exception {
        T set = sets.get(key).orElse(null);
        if (set == null) {
            return Result.done();
        }
        List<Pod> candidates = pods.candidates(set);
        List<Pod> living = candidates.stream().filter(Pods::isActive).toList();
        List<Pod> active = adoption.carryOut(set, Claim.of(set, living, pod -> selects(set, pod)));
        int terminating = (int) candidates.stream()
                .filter(pod -> Pods.isTerminating(pod) && Owners.isControlledBy(pod, set) && selects(set, pod))
                .count();

        Exception failure = null;
        if (set.getMetadata().getDeletionTimestamp() == null) {
            failure = replicate(set, active);
        }
        Instant now = clock.now();
        ReplicaStatus status = report(set, active, terminating, failure, now);
        if (failure != null) {
            throw failure;
        }
        int minReady = kind.minReadySeconds(set);
        if (minReady > 0 && status.ready() != status.available()) {
            Optional<Duration> next = Pods.nextAvailable(active, minReady, now);
            return Result.after(next.orElse(Duration.ofSeconds(minReady)));
        }
        return Result.done();
    }

    private boolean selects(T set, Pod pod) {
        return kind.selects(set, pod.getMetadata().getLabels());
    }

    /** Gives the failure back instead of throwing it: the status tells of it. */
    private Exception replicate(T set, List<Pod> active) throws InterruptedException {
        ReplicaDiff diff = ReplicaDiff.of(kind.desired(set), active, siblings(set, active), clock.now());
        try {
            if (diff.create() > 0 && !wanted.still(set)) {
                return null;
            }
            SlowStart.run(
                    Collections.nCopies(diff.create(), Executors.callable(() -> hand.create(kind.template(set), set))));
            SlowStart.all(diff.delete().stream()
                    .map(pod -> Executors.callable(() -> hand.delete(pod, set)))
                    .toList());
            return null;
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            return e;
        }
    }

    private List<Pod> siblings(T set, List<Pod> own) {
        Optional<OwnerReference> parent = Owners.controllerOf(set);
        if (own.size() <= kind.desired(set) || parent.isEmpty()) {
            return own;
        }
        List<Pod> related = new ArrayList<>();
        for (T sibling : sets.byIndex(BY_PARENT, parent.get().getUid())) {
            related.addAll(pods.ofController(sibling.getMetadata().getUid()));
        }
        return related;
    }

    private ReplicaStatus report(T set, List<Pod> active, int terminating, Exception failure, Instant now) {
        ReplicaStatus before = kind.status(set);
        Map<String, String> labels = kind.template(set).getMetadata() == null
                ? Map.of()
                : kind.template(set).getMetadata().getLabels();
        ReplicaStatus.Observed observed = new ReplicaStatus.Observed(
                kind.desired(set),
                kind.minReadySeconds(set),
                labels == null ? Map.of() : labels,
                active,
                kind.type() == ReplicaSet.class ? terminating : 0,
                Counts.orZero(set.getMetadata().getGeneration()));
        ReplicaStatus status = ReplicaStatus.of(observed, before.conditions(), failure, now);
        if (!status.equals(before)) {
            write(set, status);
        }
        return status;
    }

    /** Tries once more on the newest object: the status we counted stays right when only the size asked for changed meanwhile. */
    private void write(T set, ReplicaStatus status) {
        try {
            client.resources(kind.type()).updateStatus(kind.withStatus(set, status));
        } catch (ApiException e) {
            if (e.is(Reason.NotFound)) {
                return;
            }
            if (!e.is(Reason.Conflict)) {
                throw e;
            }
            T fresh = client.resources(kind.type())
                    .get(set.getMetadata().getNamespace(), set.getMetadata().getName());
            if (!fresh.getMetadata().getUid().equals(set.getMetadata().getUid())) {
                throw e;
            }
            client.resources(kind.type()).updateStatus(kind.withStatus(fresh, status));
        }
    }
}
