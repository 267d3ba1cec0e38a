package io.argosy.scheduler;

import io.argosy.api.NamespacedName;
import io.argosy.client.LabelSelectors;
import io.argosy.client.Owners;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.scheduler.state.PodInfo;
import io.argosy.scheduler.state.Selector;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.ReplicationController;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Which pods are of a kind with one: those of the Services that reach it and of the controller that made it. */
final class Likes implements Function<PodInfo, Selector> {
    private final Informer<Service> services;
    private final Informer<ReplicationController> replicationControllers;
    private final Informer<ReplicaSet> replicaSets;
    private final Informer<StatefulSet> statefulSets;

    Likes(Informers informers) {
        services = informers.of(Service.class);
        replicationControllers = informers.of(ReplicationController.class);
        replicaSets = informers.of(ReplicaSet.class);
        statefulSets = informers.of(StatefulSet.class);
    }

    /** Empty when nobody is. */
    @Override
    public Selector apply(PodInfo pod) {
        Selector selector = Selector.EVERYTHING;
        for (Service service : services.list(pod.namespace())) {
            Map<String, String> wanted = service.getSpec().getSelector();
            if (wanted != null && !wanted.isEmpty() && LabelSelectors.containsAll(pod.labels(), wanted)) {
                selector = selector.and(Selector.ofLabels(wanted));
            }
        }
        Optional<OwnerReference> owner = Owners.controllerOf(pod.pod());
        return owner.isEmpty() ? selector : selector.and(ofOwner(pod, owner.get()));
    }

    private Selector ofOwner(PodInfo pod, OwnerReference owner) {
        NamespacedName name = NamespacedName.of(pod.namespace(), owner.getName());
        return switch (Owners.groupOf(owner) + "/" + owner.getKind()) {
            case "/ReplicationController" ->
                replicationControllers
                        .get(name)
                        .map(found -> Selector.ofLabels(found.getSpec().getSelector()))
                        .orElse(Selector.EVERYTHING);
            case "apps/ReplicaSet" ->
                replicaSets
                        .get(name)
                        .map(found -> Selector.of(found.getSpec().getSelector()))
                        .orElse(Selector.EVERYTHING);
            case "apps/StatefulSet" ->
                statefulSets
                        .get(name)
                        .map(found -> Selector.of(found.getSpec().getSelector()))
                        .orElse(Selector.EVERYTHING);
            default -> Selector.EVERYTHING;
        };
    }
}
