package io.argosy.controllers.statefulset;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.NamespacedName;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.LabelSelectors;
import io.argosy.client.Resources;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.history.HistoryHand;
import io.argosy.controllers.history.RevisionHistory;
import io.argosy.controllers.meta.Adoption;
import io.argosy.controllers.meta.Claim;
import io.argosy.controllers.meta.Refusals;
import io.argosy.controllers.meta.Wanted;
import io.argosy.controllers.pod.OrphanPods;
import io.argosy.controllers.pod.PodIndex;
import io.argosy.controllers.pod.Pods;
import io.argosy.controllers.pod.SlowStart;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;

/** Keeps pods that are not interchangeable: each ordinal with its name, its claims and its turn. */
public final class StatefulSetReconciler implements Reconciler {
    private final Resources<StatefulSet> setResources;
    private final Resources<Pod> podResources;
    private final Informer<StatefulSet> sets;
    private final HistoryHand<StatefulSet> history;
    private final SetClaims claims;
    private final PodIndex pods;
    private final Adoption<StatefulSet, Pod> adoption;
    private final Wanted<StatefulSet> wanted;
    private final SetEvents events;
    private final Clock clock;

    private StatefulSetReconciler(Client client, Informers informers, Clock clock, EventRecorder events) {
        setResources = client.resources(StatefulSet.class);
        podResources = client.resources(Pod.class);
        sets = informers.of(StatefulSet.class);
        history = new HistoryHand<>(client, informers, StatefulSet.class);
        this.events = new SetEvents(events);
        claims = new SetClaims(client, informers, this.events);
        pods = new PodIndex(informers.of(Pod.class));
        adoption = new Adoption<>(client, StatefulSet.class, Pod.class);
        wanted = new Wanted<>(client, StatefulSet.class);
        this.clock = clock;
    }

    public static Controller controller(Client client, Informers informers, Clock clock, EventRecorder events) {
        StatefulSetReconciler reconciler = new StatefulSetReconciler(client, informers, clock, events);
        return Controller.named("statefulset-controller", informers, clock)
                .watches(StatefulSet.class)
                .owns(Pod.class, StatefulSet.class)
                .owns(ControllerRevision.class, StatefulSet.class)
                .maps(
                        Pod.class,
                        OrphanPods.wake(
                                reconciler.sets,
                                (set, labels) ->
                                        LabelSelectors.matches(set.getSpec().getSelector(), labels)))
                .maps(Pod.class, reconciler::inTheWayOf)
                .maps(PersistentVolumeClaim.class, reconciler::usersOf)
                .reconciler(reconciler);
    }

    /** The set that would have a pod of this name, whoever's it is. */
    private List<NamespacedName> inTheWayOf(Pod pod) {
        String name = pod.getMetadata().getName();
        return Optional.of(NamespacedName.of(
                        pod.getMetadata().getNamespace(), name.substring(0, Math.max(0, name.lastIndexOf('-')))))
                .filter(set -> sets.get(set).isPresent())
                .stream()
                .toList();
    }

    private List<NamespacedName> usersOf(PersistentVolumeClaim claim) {
        String namespace = claim.getMetadata().getNamespace();
        return sets.list(namespace).stream()
                .filter(set -> SetIdentity.isClaimOf(set, claim))
                .map(set -> NamespacedName.of(namespace, set.getMetadata().getName()))
                .toList();
    }

    @Override
    public Result reconcile(NamespacedName key) throws Exception {
        StatefulSet set = sets.get(key).orElse(null);
        if (set == null) {
            return Result.done();
        }
        List<Pod> own = adoption.carryOut(
                set,
                Claim.of(
                        set,
                        pods.candidates(set),
                        pod -> Ordinals.of(set, pod) >= 0
                                && LabelSelectors.matches(
                                        set.getSpec().getSelector(),
                                        pod.getMetadata().getLabels())));
        RevisionHistory known = settle(set, own);
        SetPlan.Revisions names = new SetPlan.Revisions(
                known.current().getMetadata().getName(),
                known.update().getMetadata().getName());
        SetPlan plan = SetPlan.decide(set, own, names, clock.now());
        if (!plan.create().isEmpty() && !wanted.still(set)) {
            return Result.done();
        }
        try {
            claims.retain(set, own);
            carryOut(set, plan, known);
            report(set, SetStatus.of(set, own, names, known.collisionCount(), clock.now()));
            history.forget(known);
        } catch (ApiException e) {
            if (Refusals.isNamespaceTerminating(e) || e.is(Reason.NotFound)) {
                return Result.done();
            }
            throw e;
        }
        int minReady =
                set.getSpec().getMinReadySeconds() == null ? 0 : set.getSpec().getMinReadySeconds();
        Optional<Duration> next = Pods.nextAvailable(own, minReady, clock.now());
        return next.map(Result::after).orElse(Result.done());
    }

    private RevisionHistory settle(StatefulSet set, List<Pod> own) {
        Set<String> live = new HashSet<>();
        own.forEach(pod -> live.add(Ordinals.revision(pod)));
        Integer limit = set.getSpec().getRevisionHistoryLimit();
        return history.settle(new HistoryHand.Owner<>(
                set,
                set.getSpec().getSelector(),
                set.getSpec().getTemplate(),
                set.getStatus() == null ? null : set.getStatus().getCurrentRevision(),
                collisionCount(set),
                new RevisionHistory.Keeping(limit == null ? 10 : limit, live)));
    }

    /** Of a new set too it is none, not nothing: the name of a revision depends on it. */
    private static int collisionCount(StatefulSet set) {
        Integer count = set.getStatus() == null ? null : set.getStatus().getCollisionCount();
        return count == null ? 0 : count;
    }

    private void carryOut(StatefulSet set, SetPlan plan, RevisionHistory known) throws Exception {
        plan.pending().forEach(pod -> claims.complete(set, pod));
        plan.unnamed().forEach(pod -> identify(set, pod));
        List<Callable<Object>> steps = new ArrayList<>();
        String updateName = known.update().getMetadata().getName();
        plan.create().forEach((ordinal, revision) -> {
            PodTemplateSpec template = revision.equals(updateName)
                    ? set.getSpec().getTemplate()
                    : RevisionHistory.template(known.current());
            steps.add(
                    Executors.callable(() -> create(set, SetIdentity.pod(set, template, ordinal, revision), ordinal)));
        });
        SlowStart.run(steps);
        SlowStart.all(plan.delete().stream()
                .map(pod -> Executors.callable(() -> delete(set, pod)))
                .toList());
    }

    private void create(StatefulSet set, Pod pod, int ordinal) {
        String name = pod.getMetadata().getName();
        try {
            claims.provide(set, name, ordinal);
            podResources.create(pod);
            events.done(set, name, "Create");
        } catch (ApiException e) {
            events.failed(set, name, "Create", e);
            throw e;
        }
    }

    /** Gives an adopted pod the labels by which it is known. */
    private void identify(StatefulSet set, Pod pod) {
        String name = pod.getMetadata().getName();
        ObjectNode patch = Json.object();
        ObjectNode labels = patch.putObject("metadata").putObject("labels");
        SetIdentity.labels(name, Ordinals.of(set, pod)).forEach(labels::put);
        try {
            podResources.patch(pod.getMetadata().getNamespace(), name, Resources.PatchType.MERGE, patch);
            events.done(set, name, "Update");
        } catch (ApiException e) {
            events.failed(set, name, "Update", e);
            throw e;
        }
    }

    private void delete(StatefulSet set, Pod pod) {
        String name = pod.getMetadata().getName();
        try {
            podResources.delete(
                    pod.getMetadata().getNamespace(),
                    name,
                    DeleteOptions.DEFAULT.ifUid(pod.getMetadata().getUid()));
            events.done(set, name, "Delete");
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound)) {
                events.failed(set, name, "Delete", e);
                throw e;
            }
        }
    }

    private void report(StatefulSet set, StatefulSetStatus status) {
        if (!status.equals(set.getStatus())) {
            StatefulSet copy = new StatefulSet();
            copy.setMetadata(set.getMetadata());
            copy.setSpec(set.getSpec());
            copy.setStatus(status);
            setResources.updateStatus(copy);
        }
    }
}
