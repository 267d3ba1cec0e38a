package io.argosy.operators.cluster;

import io.argosy.operators.resource.EtcdCluster;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import java.util.List;

/** What a cluster has beside its members: two services and a disruption budget. */
final class ClusterObjects {
    private ClusterObjects() {}

    static List<HasMetadata> all(EtcdCluster cluster) {
        return List.of(peerService(cluster), clientService(cluster), disruptionBudget(cluster));
    }

    /** By which members find each other; also those that are not ready, or none would ever be. */
    private static Service peerService(EtcdCluster cluster) {
        return new ServiceBuilder()
                .withMetadata(metadata(cluster, cluster.getMetadata().getName()))
                .withNewSpec()
                .withClusterIP("None")
                .withPublishNotReadyAddresses(true)
                .withSelector(ClusterNames.labels(cluster.getMetadata().getName()))
                .addNewPort()
                .withName("client")
                .withPort(ClusterNames.CLIENT_PORT)
                .withProtocol("TCP")
                .endPort()
                .addNewPort()
                .withName("peer")
                .withPort(ClusterNames.PEER_PORT)
                .withProtocol("TCP")
                .endPort()
                .endSpec()
                .build();
    }

    private static Service clientService(EtcdCluster cluster) {
        return new ServiceBuilder()
                .withMetadata(metadata(cluster, ClusterNames.clientService(cluster)))
                .withNewSpec()
                .withSelector(ClusterNames.labels(cluster.getMetadata().getName()))
                .addNewPort()
                .withName("client")
                .withPort(ClusterNames.CLIENT_PORT)
                .withProtocol("TCP")
                .endPort()
                .endSpec()
                .build();
    }

    /** Whoever drains nodes takes one member at a time. */
    private static PodDisruptionBudget disruptionBudget(EtcdCluster cluster) {
        return new PodDisruptionBudgetBuilder()
                .withMetadata(metadata(cluster, cluster.getMetadata().getName()))
                .withNewSpec()
                .withNewMaxUnavailable(1)
                .withNewSelector()
                .withMatchLabels(ClusterNames.labels(cluster.getMetadata().getName()))
                .endSelector()
                .endSpec()
                .build();
    }

    private static ObjectMeta metadata(EtcdCluster cluster, String name) {
        return new ObjectMetaBuilder()
                .withName(name)
                .withNamespace(cluster.getMetadata().getNamespace())
                .withLabels(ClusterNames.labels(cluster.getMetadata().getName()))
                .withOwnerReferences(ClusterNames.owner(cluster))
                .build();
    }
}
