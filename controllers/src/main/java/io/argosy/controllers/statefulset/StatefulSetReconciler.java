package io.argosy.controllers.statefulset;

import io.argosy.api.NamespacedName;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.LabelSelectors;
import io.argosy.client.Owners;
import io.argosy.client.Resources;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.history.RevisionHistory;
import io.argosy.controllers.meta.Adoption;
import io.argosy.controllers.meta.Claim;
import io.argosy.controllers.meta.Refusals;
import io.argosy.controllers.meta.Wanted;
import io.argosy.controllers.pod.PodIndex;
import io.argosy.controllers.pod.Pods;
import io.argosy.controllers.pod.SlowStart;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;

/** Keeps pods that are not interchangeable: each ordinal with its name, its claims and its turn. */
public final class StatefulSetReconciler implements Reconciler {
    private final Resources<StatefulSet> setResources;
    private final Resources<Pod> podResources;
    private final Resources<PersistentVolumeClaim> claimResources;
    private final Resources<ControllerRevision> revisionResources;
    private final Informer<StatefulSet> sets;
    private final Informer<ControllerRevision> revisions;
    private final Informer<PersistentVolumeClaim> claims;
    private final PodIndex pods;
    private final Adoption<StatefulSet, Pod> adoption;
    private final Wanted<StatefulSet> wanted;
    private final EventRecorder events;
    private final Clock clock;

    private StatefulSetReconciler(Client client, Informers informers, Clock clock, EventRecorder events) {
        setResources = client.resources(StatefulSet.class);
        podResources = client.resources(Pod.class);
        claimResources = client.resources(PersistentVolumeClaim.class);
        revisionResources = client.resources(ControllerRevision.class);
        sets = informers.of(StatefulSet.class);
        revisions = informers.of(ControllerRevision.class);
        claims = informers.of(PersistentVolumeClaim.class);
        pods = new PodIndex(informers.of(Pod.class));
        adoption = new Adoption<>(client, StatefulSet.class, Pod.class);
        wanted = new Wanted<>(client, StatefulSet.class);
        this.events = events;
        this.clock = clock;
    }

    public static Controller controller(Client client, Informers informers, Clock clock, EventRecorder events) {
        return Controller.named("statefulset-controller", informers, clock)
                .watches(StatefulSet.class)
                .owns(Pod.class, StatefulSet.class)
                .owns(ControllerRevision.class, StatefulSet.class)
                .reconciler(new StatefulSetReconciler(client, informers, clock, events));
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
        RevisionHistory history = history(set, own);
        SetPlan.Revisions names = new SetPlan.Revisions(
                history.current().getMetadata().getName(),
                history.update().getMetadata().getName());
        SetPlan plan = SetPlan.decide(set, own, names, clock.now());
        if (!plan.create().isEmpty() && !wanted.still(set)) {
            return Result.done();
        }
        try {
            retain(set, own);
            carryOut(set, plan, history);
            report(set, SetStatus.of(set, own, names, clock.now()));
            history.forget().forEach(this::forget);
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

    private RevisionHistory history(StatefulSet set, List<Pod> own) {
        List<ControllerRevision> known = revisions.list(set.getMetadata().getNamespace()).stream()
                .filter(revision -> Owners.isControlledBy(revision, set))
                .toList();
        Set<String> live = new HashSet<>();
        own.forEach(pod -> live.add(Ordinals.revision(pod)));
        Integer limit = set.getSpec().getRevisionHistoryLimit();
        RevisionHistory history = RevisionHistory.of(
                set,
                set.getSpec().getTemplate(),
                known,
                set.getStatus() == null ? null : set.getStatus().getCurrentRevision(),
                set.getStatus() == null ? null : set.getStatus().getCollisionCount(),
                new RevisionHistory.Keeping(limit == null ? 10 : limit, live));
        if (set.getMetadata().getDeletionTimestamp() == null) {
            if (history.create()) {
                revisionResources.create(history.update());
            } else if (history.renumber()) {
                revisionResources.update(history.update());
            }
        }
        return history;
    }

    /** Ties claims to whoever they are to go with, before that one goes. */
    private void retain(StatefulSet set, List<Pod> own) {
        if (set.getMetadata().getDeletionTimestamp() != null) {
            return;
        }
        for (Pod pod : own) {
            for (PersistentVolumeClaim template : set.getSpec().getVolumeClaimTemplates()) {
                String name = SetIdentity.claimName(set, template, Ordinals.of(set, pod));
                PersistentVolumeClaim claim = claims.get(
                                NamespacedName.of(set.getMetadata().getNamespace(), name))
                        .orElse(null);
                if (claim == null || claim.getMetadata().getDeletionTimestamp() != null) {
                    continue;
                }
                List<OwnerReference> owners = ClaimOwners.wanted(set, pod, claim);
                if (!owners.equals(claim.getMetadata().getOwnerReferences())) {
                    claimResources.update(new PersistentVolumeClaimBuilder(claim)
                            .editMetadata()
                            .withOwnerReferences(owners)
                            .endMetadata()
                            .build());
                }
            }
        }
    }

    private void carryOut(StatefulSet set, SetPlan plan, RevisionHistory history) throws Exception {
        List<Callable<Object>> steps = new ArrayList<>();
        String updateName = history.update().getMetadata().getName();
        plan.create().forEach((ordinal, revision) -> {
            PodTemplateSpec template = revision.equals(updateName)
                    ? set.getSpec().getTemplate()
                    : RevisionHistory.template(history.current());
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
        for (PersistentVolumeClaim claim : SetIdentity.claims(set, ordinal)) {
            String claimName = claim.getMetadata().getName();
            Optional<PersistentVolumeClaim> present =
                    claimResources.find(claim.getMetadata().getNamespace(), claimName);
            if (present.filter(found -> ClaimOwners.isLeaving(found, name)).isPresent()) {
                throw new ApiException(Reason.Conflict, "pvc " + claimName + " is to be deleted");
            }
            if (present.isEmpty()) {
                claimResources.create(claim);
                events.event(
                        set,
                        EventRecorder.Type.Normal,
                        "SuccessfulCreate",
                        "create Claim " + claimName + " Pod " + name + " in StatefulSet "
                                + set.getMetadata().getName() + " success");
            }
        }
        try {
            podResources.create(pod);
            tell(set, name, "Create");
        } catch (ApiException e) {
            if (!e.is(Reason.AlreadyExists)) {
                tellFailed(set, name, "Create", e);
                throw e;
            }
        }
    }

    private void delete(StatefulSet set, Pod pod) {
        String name = pod.getMetadata().getName();
        try {
            podResources.delete(
                    pod.getMetadata().getNamespace(),
                    name,
                    DeleteOptions.DEFAULT.ifUid(pod.getMetadata().getUid()));
            tell(set, name, "Delete");
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound)) {
                tellFailed(set, name, "Delete", e);
                throw e;
            }
        }
    }

    private void tell(StatefulSet set, String pod, String verb) {
        events.event(
                set,
                EventRecorder.Type.Normal,
                "Successful" + verb,
                verb.toLowerCase(Locale.ROOT) + " Pod " + pod + " in StatefulSet "
                        + set.getMetadata().getName() + " successful");
    }

    private void tellFailed(StatefulSet set, String pod, String verb, ApiException failure) {
        if (!Refusals.isNamespaceTerminating(failure)) {
            events.event(
                    set,
                    EventRecorder.Type.Warning,
                    "Failed" + verb,
                    verb.toLowerCase(Locale.ROOT) + " Pod " + pod + " in StatefulSet "
                            + set.getMetadata().getName() + " failed error: " + failure.getMessage());
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

    private void forget(ControllerRevision revision) {
        try {
            revisionResources.delete(
                    revision.getMetadata().getNamespace(),
                    revision.getMetadata().getName(),
                    DeleteOptions.DEFAULT);
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound)) {
                throw e;
            }
        }
    }
}
