package io.argosy.junit.chapter;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.junit.Cluster;
import io.fabric8.kubernetes.api.model.Endpoints;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ReplicationController;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.CronJob;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Who belongs to whom: when all is at rest every owner that an object names is there, and every pod of a workload is owned. */
final class Families {
    private static final List<Class<? extends HasMetadata>> KINDS = List.of(
            Node.class,
            Lease.class,
            Pod.class,
            Service.class,
            Endpoints.class,
            EndpointSlice.class,
            PersistentVolumeClaim.class,
            ReplicationController.class,
            ControllerRevision.class,
            DaemonSet.class,
            Deployment.class,
            ReplicaSet.class,
            StatefulSet.class,
            CronJob.class,
            Job.class);

    private Families() {}

    static void areWhole(Cluster cluster, KubernetesClient client) {
        cluster.conflictRate(0);
        cluster.failureRate(0);
        cluster.advance(Duration.ofMinutes(2));
        List<HasMetadata> all = new ArrayList<>();
        KINDS.forEach(kind ->
                all.addAll(client.resources(kind).inAnyNamespace().list().getItems()));
        Set<String> uids =
                all.stream().map(object -> object.getMetadata().getUid()).collect(Collectors.toSet());
        assertThat(all)
                .filteredOn(object -> object.getMetadata().getOwnerReferences().stream()
                        .anyMatch(owner -> !uids.contains(owner.getUid())))
                .as("left behind by their owners")
                .isEmpty();
        assertThat(all)
                .filteredOn(object -> object instanceof Pod
                        && object.getMetadata().getGenerateName() != null
                        && object.getMetadata().getOwnerReferences().isEmpty())
                .as("made by a workload and nobody's")
                .isEmpty();
    }
}
