package io.argosy.controllers.disruption;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.NamespacedName;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.Resources.PatchType;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.meta.Timestamps;
import io.argosy.controllers.pod.Pods;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Takes back what was said of pods that were about to be disrupted, when two minutes later nobody has told them to go. */
public final class StaleDisruptions implements Reconciler {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String TARGET = "DisruptionTarget";

    private final Resources<Pod> resources;
    private final Informer<Pod> pods;
    private final Clock clock;

    private StaleDisruptions(Client client, Informers informers, Clock clock) {
        resources = client.resources(Pod.class);
        pods = informers.of(Pod.class);
        this.clock = clock;
    }

    public static Controller controller(Client client, Informers informers, Clock clock) {
        return Controller.named("stale-pod-disruption", informers, clock)
                .maps(Pod.class, StaleDisruptions::nameIfTargeted)
                .workers(1)
                .reconciler(new StaleDisruptions(client, informers, clock));
    }

    private static Collection<NamespacedName> nameIfTargeted(Pod pod) {
        return due(pod).isEmpty()
                ? List.of()
                : List.of(NamespacedName.of(
                        pod.getMetadata().getNamespace(), pod.getMetadata().getName()));
    }

    /** When the condition becomes stale; empty for a pod that has none, or that does go. */
    static Optional<Instant> due(Pod pod) {
        return Pods.condition(pod, TARGET)
                .filter(condition -> Pods.isActive(pod)
                        && "True".equals(condition.getStatus())
                        && !"TerminationByKubelet".equals(condition.getReason()))
                .map(PodCondition::getLastTransitionTime)
                .map(Timestamps::parse)
                .map(since -> since.plus(PATIENCE));
    }

    @Override
    public Result reconcile(NamespacedName key) {
        Pod pod = pods.get(key).orElse(null);
        Instant due = pod == null ? null : due(pod).orElse(null);
        if (due == null) {
            return Result.done();
        }
        if (due.isAfter(clock.now())) {
            return Result.after(Duration.between(clock.now(), due));
        }
        ObjectNode patch = Json.object();
        patch.putObject("metadata").put("uid", pod.getMetadata().getUid());
        patch.putObject("status")
                .putArray("conditions")
                .addObject()
                .put("type", TARGET)
                .put("status", "False")
                .put("lastTransitionTime", Timestamps.format(clock.now()))
                .putNull("reason")
                .putNull("message");
        try {
            resources.patchStatus(key.namespace(), key.name(), PatchType.STRATEGIC, patch);
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound)) {
                throw e;
            }
        }
        return Result.done();
    }
}
