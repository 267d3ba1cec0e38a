package io.argosy.operators.restore;

import io.argosy.operators.agent.AgentReport;
import io.argosy.operators.cluster.ClusterNames;
import io.argosy.operators.resource.Conditions;
import io.argosy.operators.resource.EtcdCluster;
import io.argosy.operators.resource.EtcdClusterStatus;
import io.argosy.operators.resource.EtcdRestore;
import io.argosy.operators.resource.EtcdRestoreStatus;
import io.argosy.operators.resource.Names;
import io.argosy.operators.resource.Words;
import io.argosy.operators.restore.RestorePlan.AgentPod;
import io.argosy.operators.restore.RestorePlan.Phase;
import io.argosy.operators.restore.RestorePlan.Situation;
import io.argosy.operators.restore.RestorePlan.Target;
import io.argosy.operators.restore.RestorePlan.Volume;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;

/** Looks at what there is of a restore. As with clusters, not in a cache. */
final class RestoreObserver {
    private final KubernetesClient client;
    private final InstantSource clock;

    RestoreObserver(KubernetesClient client, InstantSource clock) {
        this.client = client;
        this.clock = clock;
    }

    /** The objects beside the situation may be null. */
    record Seen(Situation situation, EtcdCluster cluster, PersistentVolumeClaim volume, Pod unpacker) {}

    Seen observe(EtcdRestore restore) {
        String namespace = restore.getMetadata().getNamespace();
        EtcdRestoreStatus status = restore.getStatus();
        String name = restore.getSpec().etcdCluster().name();
        EtcdCluster cluster = client.resources(EtcdCluster.class)
                .inNamespace(namespace)
                .withName(name)
                .get();
        String seed = status == null ? null : status.seed();
        PersistentVolumeClaim volume = seed == null
                ? null
                : client.persistentVolumeClaims()
                        .inNamespace(namespace)
                        .withName(seed)
                        .get();
        Pod unpacker = seed == null
                ? null
                : client.pods().inNamespace(namespace).withName(unpacker(seed)).get();
        Instant now = clock.instant();
        return new Seen(
                new Situation(
                        status == null ? null : Words.constant(Phase.class, status.phase()),
                        name,
                        target(cluster),
                        plight(cluster),
                        status != null && Words.constant(Phase.class, status.phase()) == Phase.CHECKING
                                ? earlier(restore)
                                : null,
                        restore.getSpec().forced(),
                        volume(volume, cluster),
                        agent(restore, unpacker, now),
                        now,
                        begin(restore, now).plus(restore.getSpec().timeout())),
                cluster,
                volume,
                unpacker);
    }

    /** Two at once would each take the other's place; the younger waits. */
    private String earlier(EtcdRestore restore) {
        Comparator<EtcdRestore> age = Comparator.comparing(
                        (EtcdRestore each) -> each.getMetadata().getCreationTimestamp())
                .thenComparing(each -> each.getMetadata().getUid());
        return client
                .resources(EtcdRestore.class)
                .inNamespace(restore.getMetadata().getNamespace())
                .list()
                .getItems()
                .stream()
                .filter(other -> other.getSpec().unreadable() == null)
                .filter(other -> other.getSpec()
                        .etcdCluster()
                        .name()
                        .equals(restore.getSpec().etcdCluster().name()))
                .filter(other -> other.getStatus() == null || other.getStatus().succeeded() == null)
                .filter(other -> age.compare(other, restore) < 0)
                .map(other -> other.getMetadata().getName())
                .findFirst()
                .orElse(null);
    }

    static String unpacker(String seed) {
        return seed + "-restore";
    }

    private static Instant begin(EtcdRestore restore, Instant now) {
        EtcdRestoreStatus status = restore.getStatus();
        return status == null || status.startedAt() == null ? now : Instant.parse(status.startedAt());
    }

    static Target target(EtcdCluster cluster) {
        if (cluster == null || cluster.getMetadata().getDeletionTimestamp() != null) {
            return Target.MISSING;
        }
        if (cluster.getSpec().unreadable() != null) {
            return Target.UNREADABLE;
        }
        EtcdClusterStatus status = cluster.getStatus();
        boolean born = status != null && status.clusterId() != null;
        if (!born && cluster.getSpec().pausing()) {
            return Target.UNBORN;
        }
        if (!born) {
            return Target.UNDECIDED;
        }
        Condition available = Conditions.find(status.conditions(), "Available").orElse(null);
        if (available != null && available.getStatus().equals(Conditions.TRUE)) {
            boolean settled = Conditions.find(status.conditions(), "Scaling")
                    .filter(scaling -> scaling.getStatus().equals(Conditions.FALSE))
                    .isPresent();
            return settled ? Target.SETTLED : Target.HEALTHY;
        }
        return "Failed".equals(status.phase()) ? Target.LOST : Target.UNDECIDED;
    }

    private static String plight(EtcdCluster cluster) {
        if (cluster == null) {
            return "it is not there";
        }
        if (cluster.getSpec().unreadable() != null) {
            return cluster.getSpec().unreadable();
        }
        if (cluster.getSpec().pausing()) {
            return "its spec.paused is true: set it to false";
        }
        return cluster.getStatus() == null
                ? "it has not begun"
                : Conditions.find(cluster.getStatus().conditions(), "Available")
                        .map(Condition::getMessage)
                        .orElse("it does not say");
    }

    private static Volume volume(PersistentVolumeClaim volume, EtcdCluster cluster) {
        if (volume == null || volume.getMetadata().getDeletionTimestamp() != null) {
            return Volume.ABSENT;
        }
        if (cluster == null || !ClusterNames.isOwn(cluster, volume)) {
            return Volume.OWN;
        }
        Map<String, String> notes = volume.getMetadata().getAnnotations();
        return notes != null && notes.containsKey(Names.RESTORED_NOTE) ? Volume.GIVEN : Volume.TAKEN;
    }

    private static AgentPod agent(EtcdRestore restore, Pod pod, Instant now) {
        return Optional.ofNullable(pod)
                .map(found -> new AgentPod(
                        true,
                        found.getMetadata().getDeletionTimestamp() != null,
                        AgentReport.of(found, "fetch", restore.getSpec().timeout(), now)
                                .orElse(null)))
                .orElse(AgentPod.NONE);
    }
}
