package io.argosy.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.junit.ArgosyTest;
import io.argosy.junit.Cluster;
import io.argosy.operators.EtcdOperators.Lease;
import io.argosy.operators.EtcdOperators.Program;
import io.argosy.operators.resource.EtcdBackup;
import io.argosy.operators.resource.EtcdRestore;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.RequestConfigBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The programs as they are installed: each alone under its own role, all in one under theirs, and two copies of which one works. */
@ArgosyTest(nodes = 3)
class ProgramsTest {
    private static final Path DEPLOY = Path.of("deploy").toAbsolutePath();
    private static final Map<String, Program> ALONE = Map.of(
            "etcd-operator", Program.CLUSTER,
            "etcd-backup-operator", Program.BACKUP,
            "etcd-restore-operator", Program.RESTORE);

    @TempDir
    Path folder;

    private Scene scene;
    private KubernetesClient client;

    @BeforeEach
    void start(Cluster cluster) {
        client = cluster.client();
        scene = new Scene(cluster, "example");
        scene.withAgents(folder);
    }

    @AfterEach
    void stop() {
        scene.close();
        assertThat(scene.etcd().complaints()).isEmpty();
    }

    /** Everything of a manifest but the Deployment, whose program this test runs itself. */
    private void install(Path manifest) throws IOException {
        for (String document : Files.readString(manifest).split("(?m)^---.*$", -1)) {
            if (document.contains("kind: ") && !document.contains("kind: Deployment")) {
                scene.apply(document);
            }
        }
    }

    /** What the program's service account may do, and no more. */
    private KubernetesClient as(String account) {
        return client.newClient(new RequestConfigBuilder()
                        .withImpersonateUsername("system:serviceaccount:default:" + account)
                        .withImpersonateGroups(
                                "system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated")
                        .build())
                .adapt(KubernetesClient.class);
    }

    @Test
    void eachAloneDoesItsWorkUnderItsOwnRole() throws IOException {
        for (Map.Entry<String, Program> program : ALONE.entrySet()) {
            install(DEPLOY.resolve("separate").resolve(program.getKey() + ".yaml"));
            scene.start(as(program.getKey()), null, EnumSet.of(program.getValue()));
            assertThatThrownBy(() -> as(program.getKey()).namespaces().list()).hasMessageContaining("forbidden");
        }
        runSaveLoseAndRestore();
    }

    @Test
    void allInOneDoTheirWorkUnderTheirs() throws IOException {
        install(DEPLOY.resolve("rbac.yaml"));
        scene.start(as("etcd-operator"), null, EnumSet.allOf(Program.class));
        runSaveLoseAndRestore();
    }

    private void runSaveLoseAndRestore() {
        scene.apply("""
                apiVersion: etcd.database.coreos.com/v1beta2
                kind: EtcdCluster
                metadata: {name: example}
                spec: {size: 3, version: 3.4.22}
                """);
        scene.awaitMembers(3);
        scene.version("3.4.23");
        scene.await("it is upgraded", () -> "3.4.23".equals(scene.status().currentVersion()));
        scene.awaitMembers(3);
        scene.apply("""
                apiVersion: v1
                kind: PersistentVolumeClaim
                metadata: {name: shelf}
                spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
                ---
                apiVersion: etcd.database.coreos.com/v1beta2
                kind: EtcdBackup
                metadata: {name: saved}
                spec:
                  etcdEndpoints: ["http://%s:2379"]
                  storageType: PVC
                  verify: true
                  pvc: {claimName: shelf, path: saved}
                """.formatted(scene.pods().getFirst().getStatus().getPodIP()));
        scene.await("it is saved", () -> {
            var status = client.resources(EtcdBackup.class)
                    .inNamespace("default")
                    .withName("saved")
                    .get()
                    .getStatus();
            return status != null && Boolean.TRUE.equals(status.succeeded());
        });
        scene.destroy(scene.members().subList(1, 3));
        scene.await("it is lost", () -> scene.condition("Available").equals("False QuorumLost"));
        scene.apply("""
                apiVersion: etcd.database.coreos.com/v1beta2
                kind: EtcdRestore
                metadata: {name: back}
                spec:
                  etcdCluster: {name: example}
                  backupStorageType: PVC
                  pvc: {claimName: shelf, path: saved}
                """);
        scene.await("it is restored", () -> {
            var status = client.resources(EtcdRestore.class)
                    .inNamespace("default")
                    .withName("back")
                    .get()
                    .getStatus();
            return status != null && Boolean.TRUE.equals(status.succeeded());
        });
        scene.awaitMembers(3);
        client.services().inNamespace("default").withName("example-client").edit(service -> {
            service.getSpec().getSelector().put("app", "shop");
            return service;
        });
        scene.await(
                "its Service is set right",
                () -> "etcd"
                        .equals(client.services()
                                .inNamespace("default")
                                .withName("example-client")
                                .get()
                                .getSpec()
                                .getSelector()
                                .get("app")));
        scene.apply("""
                apiVersion: etcd.database.coreos.com/v1beta2
                kind: EtcdCluster
                metadata: {name: secure}
                spec: {size: 1, version: 3.4.23, TLS: {selfManaged: {}}}
                """);
        scene.await(
                "its certificates are made",
                () -> client.secrets()
                                .inNamespace("default")
                                .withName("secure-client-tls")
                                .get()
                        != null);
    }

    @Test
    void ofTwoCopiesOneWorksAndTheOtherTakesItsPlace() throws IOException {
        install(DEPLOY.resolve("rbac.yaml"));
        AtomicBoolean lost = new AtomicBoolean();
        EtcdOperators first = copy("first", lost);
        EtcdOperators second = copy("second", lost);
        scene.apply("""
                apiVersion: etcd.database.coreos.com/v1beta2
                kind: EtcdCluster
                metadata: {name: example}
                spec: {size: 3, version: 3.4.23}
                """);
        scene.awaitMembers(3);
        assertThat(List.of(first.metrics(), second.metrics()))
                .filteredOn(text -> text.contains("etcd_operator_reconciliations_total{kind=\"EtcdCluster\"}"))
                .hasSize(1);
        boolean firstWorks = holder().equals("first");
        scene.resize(5);
        scene.await(
                "it grows", () -> scene.members().size() >= 4 || scene.pods().size() >= 4);
        (firstWorks ? first : second).close();
        scene.await("the other has the lease", () -> holder().equals(firstWorks ? "second" : "first"));
        scene.awaitMembers(5);
        assertThat((firstWorks ? second : first).metrics())
                .contains("etcd_operator_reconciliations_total{kind=\"EtcdCluster\"}");
        assertThat(lost).as("who is ended does not end itself once more").isFalse();
    }

    private EtcdOperators copy(String name, AtomicBoolean lost) {
        return scene.start(
                as("etcd-operator"),
                new Lease("etcd-operator", "default", name, () -> lost.set(true)),
                Set.of(Program.CLUSTER));
    }

    private String holder() {
        var lease =
                client.leases().inNamespace("default").withName("etcd-operator").get();
        return lease == null || lease.getSpec().getHolderIdentity() == null
                ? ""
                : lease.getSpec().getHolderIdentity();
    }
}
