package io.argosy.controllers.disruption;

import io.argosy.api.NamespacedName;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.client.ApiTransport;
import io.argosy.client.Owners;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.catalog.ResourceCatalog;
import io.argosy.controllers.meta.ScaleHand;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ReplicationController;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** How many pods the owners of some pods ask for together: known kinds from the caches, any other through its scale. */
final class OwnersScale {
    /** How the API answers for what it does not serve, in contrast to what it does not have. */
    private static final String NOT_SERVED = "the server could not find the requested resource";

    private final ResourceCatalog catalog;
    private final ScaleHand scales;
    private final Informer<Deployment> deployments;
    private final Informer<ReplicaSet> replicaSets;
    private final Informer<StatefulSet> statefulSets;
    private final Informer<ReplicationController> replicationControllers;

    OwnersScale(ApiTransport transport, ResourceCatalog catalog, Informers informers) {
        this.catalog = catalog;
        scales = new ScaleHand(transport, catalog);
        deployments = informers.of(Deployment.class);
        replicaSets = informers.of(ReplicaSet.class);
        statefulSets = informers.of(StatefulSet.class);
        replicationControllers = informers.of(ReplicationController.class);
    }

    /** The number asked for, and the pods that nobody controls. */
    record Sum(int replicas, List<Pod> unmanaged) {}

    /** Somebody's scale cannot be found, so there is no sum. */
    static final class UnknownScale extends RuntimeException {
        private static final long serialVersionUID = 1L;

        UnknownScale(String message) {
            super(message);
        }
    }

    private record Scale(String uid, int replicas) {}

    Sum of(List<Pod> pods) {
        Map<String, Integer> replicas = new HashMap<>();
        Map<String, Scale> seen = new HashMap<>();
        List<Pod> unmanaged = new ArrayList<>();
        for (Pod pod : pods) {
            Optional<OwnerReference> owner = Owners.controllerOf(pod);
            if (owner.isEmpty()) {
                unmanaged.add(pod);
                continue;
            }
            Scale scale = seen.computeIfAbsent(owner.get().getUid(), uid -> find(pod, owner.get()));
            replicas.put(scale.uid, scale.replicas);
        }
        return new Sum(replicas.values().stream().mapToInt(Integer::intValue).sum(), unmanaged);
    }

    /** What no cache knows, or knows under another uid, is asked of the API: caches of different kinds do not keep step. */
    private Scale find(Pod pod, OwnerReference owner) {
        String namespace = pod.getMetadata().getNamespace();
        Optional<Scale> known = switch (Owners.groupOf(owner) + "/" + owner.getKind()) {
            case "apps/ReplicaSet" -> ofReplicaSet(namespace, owner);
            case "apps/StatefulSet" ->
                scale(statefulSets, namespace, owner, set -> set.getSpec().getReplicas());
            case "/ReplicationController" ->
                scale(
                        replicationControllers,
                        namespace,
                        owner,
                        set -> set.getSpec().getReplicas());
            default -> Optional.empty();
        };
        return known.orElseGet(() -> ask(pod, namespace, owner));
    }

    /** A deployment counts once, however many replica sets it has just now. */
    private Optional<Scale> ofReplicaSet(String namespace, OwnerReference owner) {
        Optional<ReplicaSet> set = cached(replicaSets, namespace, owner);
        Optional<OwnerReference> parent = set.flatMap(Owners::controllerOf)
                .filter(reference -> reference.getKind().equals("Deployment")
                        && Owners.groupOf(reference).equals("apps"));
        return parent.isPresent()
                ? scale(
                        deployments,
                        namespace,
                        parent.get(),
                        found -> found.getSpec().getReplicas())
                : set.map(
                        found -> new Scale(owner.getUid(), orOne(found.getSpec().getReplicas())));
    }

    private static <T extends HasMetadata> Optional<Scale> scale(
            Informer<T> informer, String namespace, OwnerReference owner, Function<T, Integer> replicas) {
        return cached(informer, namespace, owner).map(found -> new Scale(owner.getUid(), orOne(replicas.apply(found))));
    }

    private static <T extends HasMetadata> Optional<T> cached(
            Informer<T> informer, String namespace, OwnerReference owner) {
        return informer.get(NamespacedName.of(namespace, owner.getName()))
                .filter(found -> found.getMetadata().getUid().equals(owner.getUid()));
    }

    private Scale ask(Pod pod, String namespace, OwnerReference owner) {
        ResourceCatalog.ApiResource resource = catalog.find(owner.getApiVersion(), owner.getKind())
                .orElseThrow(() -> new UnknownScale("no matches for kind \"" + owner.getKind() + "\" in version \""
                        + owner.getApiVersion() + "\""));
        ScaleHand.Target target =
                new ScaleHand.Target(owner.getApiVersion(), owner.getKind(), namespace, owner.getName());
        try {
            return scales.get(target)
                    .filter(found -> found.uid().equals(owner.getUid()))
                    .map(found -> new Scale(owner.getUid(), found.wanted()))
                    .orElseThrow(() -> unknown(pod));
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound)) {
                throw e;
            }
            throw e.getMessage().equals(NOT_SERVED)
                    ? new UnknownScale(resource.groupResource() + " does not implement the scale subresource")
                    : unknown(pod);
        }
    }

    private static UnknownScale unknown(Pod pod) {
        return new UnknownScale(
                "found no controllers for pod \"" + pod.getMetadata().getName() + "\"");
    }

    private static int orOne(Integer number) {
        return number == null ? 1 : number;
    }
}
