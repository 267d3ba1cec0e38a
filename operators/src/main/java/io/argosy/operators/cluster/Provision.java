package io.argosy.operators.cluster;

import io.argosy.operators.resource.EtcdCluster;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** Services and disruption budget: made if they are missing, set right if somebody changed them, and never taken from somebody else. */
final class Provision {
    private final KubernetesClient client;

    Provision(KubernetesClient client) {
        this.client = client;
    }

    /** Does it, given what is known to be there; what stands in the way, if anything does. */
    Optional<Hindrance> provide(EtcdCluster cluster, Stream<HasMetadata> known) {
        List<HasMetadata> there = known.toList();
        try {
            return ClusterObjects.all(cluster).stream()
                    .filter(wanted -> there.stream().noneMatch(found -> isAs(wanted, found)))
                    .map(wanted -> provide(cluster, wanted))
                    .flatMap(Optional::stream)
                    .findFirst();
        } catch (KubernetesClientException e) {
            return Optional.of(Hindrance.refusal(e).orElseThrow(() -> e));
        }
    }

    private Optional<Hindrance> provide(EtcdCluster cluster, HasMetadata wanted) {
        HasMetadata found = client.resource(wanted).get();
        if (found != null && !ClusterNames.isOwn(cluster, found)) {
            String name = wanted.getKind() + " " + wanted.getMetadata().getName();
            return Optional.of(new Hindrance(
                    "NameTaken",
                    "there is a " + name + " that is not this cluster's, which needs one of that name:"
                            + " delete it, or give the cluster another name"));
        }
        if (found == null) {
            client.resource(wanted).create();
        } else if (!isAs(wanted, found)) {
            client.resource(wanted).forceConflicts().serverSideApply();
        }
        return Optional.empty();
    }

    /** In what the operator cares for; the rest may be as its owner likes. */
    private static boolean isAs(HasMetadata wanted, HasMetadata found) {
        return wanted.getKind().equals(found.getKind())
                && wanted.getMetadata().getName().equals(found.getMetadata().getName())
                && switch (wanted) {
                    case Service service -> isAs(service, (Service) found);
                    case PodDisruptionBudget budget ->
                        budget.getSpec()
                                        .getSelector()
                                        .equals(((PodDisruptionBudget) found)
                                                .getSpec()
                                                .getSelector())
                                && budget.getSpec()
                                        .getMaxUnavailable()
                                        .equals(((PodDisruptionBudget) found)
                                                .getSpec()
                                                .getMaxUnavailable());
                    default -> true;
                };
    }

    private static boolean isAs(Service wanted, Service found) {
        return wanted.getSpec().getSelector().equals(found.getSpec().getSelector())
                && Objects.equals(
                        wanted.getSpec().getPublishNotReadyAddresses(),
                        Boolean.TRUE.equals(found.getSpec().getPublishNotReadyAddresses()) ? true : null)
                && found.getSpec().getPorts().stream()
                        .map(ServicePort::getPort)
                        .toList()
                        .containsAll(wanted.getSpec().getPorts().stream()
                                .map(ServicePort::getPort)
                                .toList());
    }
}
