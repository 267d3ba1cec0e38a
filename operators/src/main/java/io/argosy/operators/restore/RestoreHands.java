package io.argosy.operators.restore;

import io.argosy.operators.agent.AgentPods;
import io.argosy.operators.agent.Seed;
import io.argosy.operators.agent.Sources;
import io.argosy.operators.agent.Task;
import io.argosy.operators.cluster.ClusterNames;
import io.argosy.operators.cluster.MemberNotes;
import io.argosy.operators.cluster.MemberObjects;
import io.argosy.operators.resource.EtcdCluster;
import io.argosy.operators.resource.EtcdRestore;
import io.argosy.operators.resource.EtcdRestoreStatus;
import io.argosy.operators.resource.Names;
import io.argosy.operators.snapshot.SnapshotException;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.Map;

/** Does a step of a restore. */
final class RestoreHands {
    private final KubernetesClient client;
    private final String image;

    RestoreHands(KubernetesClient client, String image) {
        this.client = client;
        this.image = image;
    }

    /** What the cluster ran last, or is to run. */
    static String version(EtcdCluster cluster) {
        return cluster.getStatus() == null || cluster.getStatus().currentVersion() == null
                ? cluster.getSpec().version()
                : cluster.getStatus().currentVersion();
    }

    /** The member's volume, which is not the cluster's yet: whoever looks for the cluster's members does not find it. */
    void makeVolume(EtcdRestore restore, EtcdCluster cluster) throws SnapshotException {
        new Sources(client, restore.getMetadata().getNamespace())
                .check(restore.getSpec().place());
        EtcdRestoreStatus status = restore.getStatus();
        PersistentVolumeClaim volume = new MemberObjects(cluster).volume(status.seed(), notes(cluster, status));
        createUnlessThere(new PersistentVolumeClaimBuilder(volume)
                .editMetadata()
                .withLabels(Map.of())
                .withAnnotations(Map.of())
                .withOwnerReferences(new OwnerReferenceBuilder()
                        .withApiVersion(restore.getApiVersion())
                        .withKind(restore.getKind())
                        .withName(restore.getMetadata().getName())
                        .withUid(restore.getMetadata().getUid())
                        .withController(true)
                        .build())
                .endMetadata()
                .build());
    }

    private static MemberNotes notes(EtcdCluster cluster, EtcdRestoreStatus status) {
        return MemberNotes.seed(
                status.version(), status.seed() + "=" + ClusterNames.peerUrl(cluster, status.seed()), status.token());
    }

    void startUnpacker(EtcdRestore restore, EtcdCluster cluster) throws SnapshotException {
        new Sources(client, restore.getMetadata().getNamespace())
                .check(restore.getSpec().place());
        EtcdRestoreStatus status = restore.getStatus();
        createUnlessThere(new AgentPods(image, restore)
                .unpacking(
                        RestoreObserver.unpacker(status.seed()),
                        Task.fetch(
                                restore.getSpec().place(),
                                restore.getSpec().timeout().toSeconds()),
                        new Seed(
                                status.seed(),
                                notes(cluster, status).initialCluster(),
                                ClusterNames.peerUrl(cluster, status.seed()),
                                status.token(),
                                cluster.getSpec().image(status.version()),
                                status.version(),
                                cluster.getSpec().podPolicy())));
    }

    private void createUnlessThere(HasMetadata object) {
        try {
            client.resource(object).create();
        } catch (KubernetesClientException e) {
            if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
                throw e;
            }
        }
    }

    void tidy(RestoreObserver.Seen seen, boolean volume) {
        client.resource(volume ? seen.volume() : seen.unpacker()).delete();
    }

    /** Makes the volume that of a member in one write, with the note that the cluster is to go on from it. */
    void handOver(EtcdRestore restore, RestoreObserver.Seen seen) {
        PersistentVolumeClaim member = new MemberObjects(seen.cluster())
                .volume(restore.getStatus().seed(), notes(seen.cluster(), restore.getStatus()));
        client.resource(seen.volume())
                .edit(current -> new PersistentVolumeClaimBuilder(current)
                        .editMetadata()
                        .addToLabels(member.getMetadata().getLabels())
                        .addToAnnotations(member.getMetadata().getAnnotations())
                        .addToAnnotations(
                                Names.RESTORED_NOTE, restore.getMetadata().getUid())
                        .withOwnerReferences(member.getMetadata().getOwnerReferences())
                        .endMetadata()
                        .build());
    }
}
