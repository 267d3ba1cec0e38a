package io.argosy.controllers.deployment;

import io.argosy.api.NamespacedName;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.LabelSelectors;
import io.argosy.client.Owners;
import io.argosy.client.Resources;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.client.Resources.PatchType;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.meta.Adoption;
import io.argosy.controllers.meta.Claim;
import io.argosy.controllers.meta.Refusals;
import io.argosy.controllers.pod.PodIndex;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentStatus;
import io.fabric8.kubernetes.api.model.apps.DeploymentStatusBuilder;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Carries out rollout plans: the only hand that touches a deployment's replica sets. */
public final class DeploymentReconciler implements Reconciler {
    private final Resources<Deployment> deploymentResources;
    private final Resources<ReplicaSet> setResources;
    private final Informer<Deployment> deployments;
    private final Informer<ReplicaSet> sets;
    private final PodIndex pods;
    private final Adoption<Deployment, ReplicaSet> adoption;
    private final EventRecorder events;
    private final Clock clock;

    private DeploymentReconciler(Client client, Informers informers, Clock clock, EventRecorder events) {
        deploymentResources = client.resources(Deployment.class);
        setResources = client.resources(ReplicaSet.class);
        deployments = informers.of(Deployment.class);
        sets = informers.of(ReplicaSet.class);
        pods = new PodIndex(informers.of(Pod.class));
        adoption = new Adoption<>(client, Deployment.class, ReplicaSet.class);
        this.events = events;
        this.clock = clock;
    }

    public static Controller controller(Client client, Informers informers, Clock clock, EventRecorder events) {
        DeploymentReconciler reconciler = new DeploymentReconciler(client, informers, clock, events);
        Controller.Builder builder = Controller.named("deployment-controller", informers, clock)
                .watches(Deployment.class)
                .owns(ReplicaSet.class, Deployment.class)
                .maps(ReplicaSet.class, reconciler::wouldAdopt);
        informers.of(Pod.class).addHandler(new LastPodGone(builder.queue(), reconciler::recreatedOwner));
        return builder.reconciler(reconciler);
    }

    private Collection<NamespacedName> wouldAdopt(ReplicaSet set) {
        ObjectMeta metadata = set.getMetadata();
        if (metadata.getLabels() == null
                || metadata.getLabels().isEmpty()
                || Owners.controllerOf(set).isPresent()) {
            return List.of();
        }
        List<NamespacedName> names = new ArrayList<>();
        for (Deployment deployment : deployments.list(metadata.getNamespace())) {
            LabelSelector selector = deployment.getSpec().getSelector();
            if (!selectsAll(selector) && LabelSelectors.matches(selector, metadata.getLabels())) {
                names.add(NamespacedName.of(
                        metadata.getNamespace(), deployment.getMetadata().getName()));
            }
        }
        return names;
    }

    /** The deployment, of the kind that waits for its old pods to be gone, behind a pod. */
    private Optional<NamespacedName> recreatedOwner(Pod pod) {
        String namespace = pod.getMetadata().getNamespace();
        return Owners.controllerOf(pod)
                .flatMap(owner -> sets.get(NamespacedName.of(namespace, owner.getName())))
                .flatMap(Owners::controllerOf)
                .map(owner -> NamespacedName.of(namespace, owner.getName()))
                .filter(name -> deployments
                        .get(name)
                        .filter(deployment -> !Fenceposts.isRolling(deployment))
                        .isPresent());
    }

    @Override
    public Result reconcile(NamespacedName key) {
        Deployment deployment = deployments.get(key).orElse(null);
        if (deployment == null) {
            return Result.done();
        }
        if (selectsAll(deployment.getSpec().getSelector())) {
            refuse(deployment);
            return Result.done();
        }
        LabelSelector selector = deployment.getSpec().getSelector();
        List<ReplicaSet> owned = adoption.carryOut(
                deployment,
                Claim.of(
                        deployment,
                        sets.list(key.namespace()),
                        set -> LabelSelectors.matches(
                                selector, set.getMetadata().getLabels())));
        RolloutPlan plan = RolloutPlan.decide(deployment, owned, podsOf(deployment, owned), clock.now());
        try {
            carryOut(deployment, plan);
        } catch (ApiException e) {
            if (Refusals.isNamespaceTerminating(e) || e.is(Reason.NotFound)) {
                return Result.done();
            }
            throw e;
        }
        return plan.recheck().map(Result::after).orElse(Result.done());
    }

    private Map<String, List<Pod>> podsOf(Deployment deployment, List<ReplicaSet> owned) {
        Map<String, List<Pod>> bySet = new HashMap<>();
        if (!Fenceposts.isRolling(deployment)) {
            for (ReplicaSet set : owned) {
                String uid = set.getMetadata().getUid();
                bySet.put(uid, pods.ofController(uid));
            }
        }
        return bySet;
    }

    private void carryOut(Deployment deployment, RolloutPlan plan) {
        if (plan.create().isPresent()) {
            create(deployment, plan.create().orElseThrow());
        }
        for (RolloutPlan.Change change : plan.changes()) {
            setResources.update(change.after());
            int from = ReplicaSets.size(change.before());
            int to = ReplicaSets.size(change.after());
            if (from != to) {
                tellScaled(deployment, change.after(), from, to);
            }
        }
        for (ReplicaSet set : plan.delete()) {
            delete(set);
        }
        Deployment current = deployment;
        if (plan.revision() != null) {
            current = deploymentResources.patch(
                    deployment.getMetadata().getNamespace(),
                    deployment.getMetadata().getName(),
                    PatchType.MERGE,
                    Json.object()
                            .set(
                                    "metadata",
                                    Json.object()
                                            .put("uid", deployment.getMetadata().getUid())
                                            .set(
                                                    "annotations",
                                                    Json.object().put(Revisions.REVISION, plan.revision()))));
        }
        if (!plan.status().equals(deployment.getStatus())) {
            writeStatus(current, plan.status());
        }
    }

    private void create(Deployment deployment, ReplicaSet set) {
        try {
            setResources.create(set);
            if (ReplicaSets.size(set) > 0) {
                tellScaled(deployment, set, 0, ReplicaSets.size(set));
            }
        } catch (ApiException e) {
            if (Refusals.isNamespaceTerminating(e)) {
                throw e;
            }
            if (e.is(Reason.AlreadyExists)) {
                resolveCollision(deployment, set, e);
            } else {
                tellFailed(deployment, set, e);
                throw e;
            }
        }
    }

    /** A namesake with another template took the name: the next attempt hashes to another one. */
    private void resolveCollision(Deployment deployment, ReplicaSet set, ApiException refusal) {
        ReplicaSet existing = setResources.get(
                set.getMetadata().getNamespace(), set.getMetadata().getName());
        if (Owners.isControlledBy(existing, deployment)
                && ReplicaSets.sameTemplate(
                        existing.getSpec().getTemplate(), deployment.getSpec().getTemplate())) {
            return;
        }
        DeploymentStatus before = deployment.getStatus() == null ? new DeploymentStatus() : deployment.getStatus();
        int collisions = before.getCollisionCount() == null ? 0 : before.getCollisionCount();
        writeStatus(
                deployment,
                new DeploymentStatusBuilder(before)
                        .withCollisionCount(collisions + 1)
                        .build());
        throw refusal;
    }

    private void tellFailed(Deployment deployment, ReplicaSet set, ApiException refusal) {
        String message =
                "Failed to create new replica set \"" + set.getMetadata().getName() + "\": " + refusal.getMessage();
        if (Progress.hasDeadline(deployment)) {
            DeploymentStatus before = deployment.getStatus() == null ? new DeploymentStatus() : deployment.getStatus();
            Conditions conditions = new Conditions(before.getConditions())
                    .with(Conditions.condition(
                            Conditions.PROGRESSING, "False", Progress.CREATE_FAILED, message, clock.now()));
            if (!conditions.list().equals(before.getConditions())) {
                writeStatus(
                        deployment,
                        new DeploymentStatusBuilder(before)
                                .withConditions(conditions.list())
                                .build());
            }
        }
        events.event(deployment, EventRecorder.Type.Warning, Progress.CREATE_FAILED, message);
    }

    private void tellScaled(Deployment deployment, ReplicaSet set, int from, int to) {
        events.event(
                deployment,
                EventRecorder.Type.Normal,
                "ScalingReplicaSet",
                "Scaled " + (from < to ? "up" : "down") + " replica set "
                        + set.getMetadata().getName() + " from " + from + " to " + to);
    }

    private void delete(ReplicaSet set) {
        try {
            setResources.delete(
                    set.getMetadata().getNamespace(),
                    set.getMetadata().getName(),
                    DeleteOptions.DEFAULT.ifUid(set.getMetadata().getUid()));
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound)) {
                throw e;
            }
        }
    }

    private void writeStatus(Deployment deployment, DeploymentStatus status) {
        Deployment copy = new Deployment();
        copy.setMetadata(deployment.getMetadata());
        copy.setSpec(deployment.getSpec());
        copy.setStatus(status);
        deploymentResources.updateStatus(copy);
    }

    private void refuse(Deployment deployment) {
        events.event(
                deployment,
                EventRecorder.Type.Warning,
                "SelectingAll",
                "This deployment is selecting all pods. A non-empty selector is required.");
        DeploymentStatus before = deployment.getStatus() == null ? new DeploymentStatus() : deployment.getStatus();
        Long generation = deployment.getMetadata().getGeneration();
        if (generation != null && !generation.equals(before.getObservedGeneration())) {
            writeStatus(
                    deployment,
                    new DeploymentStatusBuilder(before)
                            .withObservedGeneration(generation)
                            .build());
        }
    }

    private static boolean selectsAll(LabelSelector selector) {
        return selector == null
                || ((selector.getMatchLabels() == null
                                || selector.getMatchLabels().isEmpty())
                        && (selector.getMatchExpressions() == null
                                || selector.getMatchExpressions().isEmpty()));
    }
}
