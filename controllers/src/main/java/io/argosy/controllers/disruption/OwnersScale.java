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
    private final ScaleHand scales;
    private final Informer<Deployment> deployments;
    private final Informer<ReplicaSet> replicaSets;
    private final Informer<StatefulSet> statefulSets;
    private final Informer<ReplicationController> replicationControllers;

    OwnersScale(ApiTransport transport, ResourceCatalog catalog, Informers informers) {
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

    private Scale find(Pod pod, OwnerReference owner) {
        String namespace = pod.getMetadata().getNamespace();
        return switch (Owners.groupOf(owner) + "/" + owner.getKind()) {
            case "apps/ReplicaSet" -> ofReplicaSet(pod, namespace, owner);
            case "apps/StatefulSet" ->
                scale(pod, statefulSets, namespace, owner, set -> set.getSpec().getReplicas());
            case "/ReplicationController" ->
                scale(
                        pod,
                        replicationControllers,
                        namespace,
                        owner,
                        set -> set.getSpec().getReplicas());
            default -> ask(pod, namespace, owner);
        };
    }

    /** A deployment counts once, however many replica sets it has just now. */
    private Scale ofReplicaSet(Pod pod, String namespace, OwnerReference owner) {
        ReplicaSet set = cached(pod, replicaSets, namespace, owner);
        Optional<OwnerReference> parent = Owners.controllerOf(set)
                .filter(reference -> reference.getKind().equals("Deployment")
                        && Owners.groupOf(reference).equals("apps"));
        return parent.isPresent()
                ? scale(
                        pod,
                        deployments,
                        namespace,
                        parent.get(),
                        found -> found.getSpec().getReplicas())
                : new Scale(owner.getUid(), orOne(set.getSpec().getReplicas()));
    }

    private static <T extends HasMetadata> Scale scale(
            Pod pod, Informer<T> informer, String namespace, OwnerReference owner, Function<T, Integer> replicas) {
        return new Scale(owner.getUid(), orOne(replicas.apply(cached(pod, informer, namespace, owner))));
    }

    private static <T extends HasMetadata> T cached(
            Pod pod, Informer<T> informer, String namespace, OwnerReference owner) {
        return informer.get(NamespacedName.of(namespace, owner.getName()))
                .filter(found -> found.getMetadata().getUid().equals(owner.getUid()))
                .orElseThrow(() -> unknown(pod));
    }

    private Scale ask(Pod pod, String namespace, OwnerReference owner) {
        ScaleHand.Target target =
                new ScaleHand.Target(owner.getApiVersion(), owner.getKind(), namespace, owner.getName());
        try {
            ScaleHand.Scale found = scales.get(target).orElseThrow(() -> unknown(pod));
            if (!found.uid().equals(owner.getUid())) {
                throw unknown(pod);
            }
            return new Scale(owner.getUid(), found.wanted());
        } catch (ApiException e) {
            if (e.is(Reason.NotFound)) {
                throw new UnknownScale(owner.getKind() + "." + Owners.groupOf(owner) + " \"" + owner.getName()
                        + "\" does not implement the scale subresource");
            }
            throw e;
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
