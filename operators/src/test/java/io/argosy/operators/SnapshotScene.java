package io.argosy.operators;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.junit.Cluster;
import io.argosy.operators.agent.FakeAgents;
import io.argosy.operators.resource.EtcdBackup;
import io.argosy.operators.resource.EtcdBackupStatus;
import io.argosy.operators.resource.EtcdRestore;
import io.argosy.operators.resource.EtcdRestoreStatus;
import io.argosy.operators.storage.Buckets;
import io.argosy.operators.storage.S3Store;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A cluster of simulated nodes with an etcd cluster that is played, an S3 server that is real, and the pods that the operators make. */
public abstract class SnapshotScene {

    private static final String CLUSTER = "example-etcd-cluster";
    private static Buckets buckets;

    @TempDir
    private Path folder;

    protected Scene scene;
    protected FakeAgents agents;
    protected KubernetesClient client;

    @BeforeAll
    static void openBuckets() throws Exception {
        buckets = new Buckets();
    }

    @AfterAll
    static void closeBuckets() throws Exception {
        buckets.close();
    }

    @BeforeEach
    void start(Cluster cluster) {
        client = cluster.client();
        scene = new Scene(cluster, CLUSTER);
        agents = scene.withAgents(folder);
        scene.startOperator();
        scene.apply("""
                apiVersion: etcd.database.coreos.com/v1beta2
                kind: EtcdCluster
                metadata: {name: example-etcd-cluster}
                spec: {size: 3, version: 3.4.23}
                """);
        scene.awaitMembers(3);
        secret(Buckets.secret());
        scene.apply("""
                apiVersion: v1
                kind: PersistentVolumeClaim
                metadata: {name: shelf}
                spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
                """);
    }

    @AfterEach
    void stop() {
        scene.close();
        assertThat(scene.etcd().complaints()).isEmpty();
    }

    protected void secret(Map<String, String> files) {
        client.resource(new SecretBuilder()
                        .withNewMetadata()
                        .withName("aws")
                        .withNamespace("default")
                        .endMetadata()
                        .withStringData(files)
                        .build())
                .serverSideApply();
    }

    /** The members by their addresses: nobody resolves names here. */
    protected String endpoints() {
        return scene.pods().stream()
                .map(pod -> "http://" + pod.getStatus().getPodIP() + ":2379")
                .toList()
                .toString();
    }

    protected String s3(String path) {
        return "{path: " + path + ", awsSecret: aws, endpoint: '" + buckets.endpoint() + "', forcePathStyle: true}";
    }

    protected void backup(String name, String endpoints, String more) {
        scene.apply("""
                apiVersion: etcd.database.coreos.com/v1beta2
                kind: EtcdBackup
                metadata: {name: %s}
                spec:
                  etcdEndpoints: %s
                  %s
                """.formatted(name, endpoints, more));
    }

    protected EtcdBackupStatus status(String name) {
        EtcdBackup backup = client.resources(EtcdBackup.class)
                .inNamespace("default")
                .withName(name)
                .get();
        return backup.getStatus();
    }

    protected EtcdBackupStatus ended(String name) {
        scene.await(
                name + " ends",
                () -> status(name) != null
                        && (status(name).phase().equals("Succeeded")
                                || status(name).phase().equals("Failed"))
                        && agentPods().isEmpty());
        return status(name);
    }

    protected List<Pod> agentPods() {
        return client.pods()
                .inNamespace("default")
                .withLabel("etcd_agent")
                .list()
                .getItems();
    }

    protected List<String> events(String name) {
        return client.v1().events().inNamespace("default").list().getItems().stream()
                .filter(event -> event.getInvolvedObject().getName().equals(name))
                .map(Event::getReason)
                .toList();
    }

    protected List<String> keys(String prefix) throws Exception {
        try (S3Store store = new S3Store(buckets.place(Buckets.BUCKET + "/x"), Buckets.secret())) {
            return store.list(prefix);
        }
    }

    protected void restore(String name, String more) {
        scene.apply("""
                apiVersion: etcd.database.coreos.com/v1beta2
                kind: EtcdRestore
                metadata: {name: %s}
                spec:
                  etcdCluster: {name: example-etcd-cluster}
                  %s
                """.formatted(name, more));
    }

    protected EtcdRestoreStatus restoring(String name) {
        return client.resources(EtcdRestore.class)
                .inNamespace("default")
                .withName(name)
                .get()
                .getStatus();
    }

    protected EtcdRestoreStatus restored(String name) {
        scene.await(
                name + " ends", () -> restoring(name) != null && restoring(name).succeeded() != null);
        return restoring(name);
    }

    protected void loseMajority() {
        scene.destroy(scene.members().subList(1, 3));
        scene.await("it is said", () -> scene.condition("Available").equals("False QuorumLost"));
    }

    protected void saveOne() {
        backup("one", endpoints(), "storageType: S3\n  s3: " + s3("backups/one"));
        assertThat(ended("one").succeeded()).isTrue();
    }

    /** No more pods than there are. */
    protected void allowNoMorePods() {
        scene.apply("""
                apiVersion: v1
                kind: ResourceQuota
                metadata: {name: few}
                spec: {hard: {pods: "%d"}}
                """.formatted(scene.pods().size()));
        scene.await("the quota is counted", () -> {
            var status = client.resourceQuotas()
                    .inNamespace("default")
                    .withName("few")
                    .get()
                    .getStatus();
            return status != null
                    && status.getUsed() != null
                    && status.getUsed().containsKey("pods");
        });
    }

    protected void allowPods() {
        client.resourceQuotas().inNamespace("default").withName("few").delete();
    }
}
