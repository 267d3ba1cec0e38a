package io.argosy.operators.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.junit.ArgosyTest;
import io.argosy.operators.SnapshotScene;
import io.argosy.operators.resource.EtcdBackupStatus;
import io.argosy.operators.resource.EtcdCluster;
import io.argosy.operators.storage.Buckets;
import io.argosy.operators.tls.Issuer;
import io.argosy.operators.tls.Issuer.Identity;
import io.argosy.operators.tls.Pem;
import io.argosy.operators.tls.Use;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Backups on a cluster of simulated nodes. */
@ArgosyTest(nodes = 3)
class BackupScenarioTest extends SnapshotScene {
    @Test
    void aSnapshotIsTakenToS3AndProvedAndNotTakenTwice() throws Exception {
        backup("one", endpoints(), "storageType: S3\n  verify: true\n  s3: " + s3("backups/one"));
        EtcdBackupStatus status = ended("one");
        assertThat(status.reason()).isNull();
        assertThat(status.succeeded()).isTrue();
        assertThat(status.verified()).isTrue();
        assertThat(status.etcdVersion()).isEqualTo("3.4.23");
        assertThat(status.etcdRevision()).isPositive();
        assertThat(status.size()).isEqualTo(3 * 512 + 32);
        assertThat(status.location()).isEqualTo("s3://backups/one");
        assertThat(status.lastSuccessDate()).isNotNull();
        assertThat(keys("one")).containsExactly("one");
        assertThat(events("one")).containsExactlyInAnyOrder("SnapshotSaved", "SnapshotVerified");
        scene.stopOperator();
        scene.etcd().write();
        scene.startOperator();
        scene.letItLook();
        assertThat(status("one")).isEqualTo(status);
    }

    @Test
    void aSnapshotIsTakenToAVolumeByAPodAndRestoredFromThere() throws Exception {
        backup("onshelf", endpoints(), "storageType: PVC\n  pvc: {claimName: shelf, path: some/snapshot}");
        EtcdBackupStatus status = ended("onshelf");
        assertThat(status.reason()).isNull();
        assertThat(status.location()).isEqualTo("pvc://shelf/some/snapshot");
        assertThat(Files.size(agents.claim("shelf").resolve("some/snapshot"))).isEqualTo(status.size());
        loseMajority();
        restore("back", "backupStorageType: PVC\n  pvc: {claimName: shelf, path: some/snapshot}");
        assertThat(restored("back").succeeded()).isTrue();
        scene.awaitMembers(3);
    }

    @Test
    void manyAreTakenInTurnAndTheOldestGo() throws Exception {
        backup(
                "many",
                endpoints(),
                "storageType: S3\n  backupPolicy: {backupIntervalInSecond: 600, maxBackups: 2}\n  s3: "
                        + s3("backups/many"));
        String first = ended("many").key();
        for (int i = 0; i < 3; i++) {
            next("Succeeded");
        }
        assertThat(keys("many")).hasSize(2).contains(status("many").key()).doesNotContain(first);
        assertThat(status("many").key()).matches("many_v\\d+_2026-01-01-.*");
    }

    @ParameterizedTest
    @ValueSource(strings = {"S3", "PVC"})
    void anOlderOneIsNotGivenUpForOneThatIsNotProved(String storage) throws Exception {
        backup(
                "many",
                endpoints(),
                "storageType: " + storage
                        + "\n  verify: true\n  backupPolicy: {backupIntervalInSecond: 600, maxBackups: 1}\n  "
                        + (storage.equals("S3")
                                ? "s3: " + s3("backups/proved")
                                : "pvc: {claimName: shelf, path: proved}"));
        String good = ended("many").key();
        agents.doubt(true);
        next("Failed");
        String bad = status("many").key();
        assertThat(status("many").conditions().getFirst().getReason()).isEqualTo("ProofFailed");
        assertThat(status("many").unverified()).containsExactly(bad);
        assertThat(kept(storage)).containsExactlyInAnyOrder(good, bad);
        agents.doubt(false);
        next("Succeeded");
        assertThat(status("many").unverified()).isNull();
        assertThat(kept(storage)).containsExactly(status("many").key());
    }

    private List<String> kept(String storage) throws Exception {
        if (storage.equals("S3")) {
            return keys("proved");
        }
        try (var files = Files.list(agents.claim("shelf"))) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    /** The next of a periodic backup; what the operator sleeps for is real time: a new one does not sleep. */
    private void next(String phase) {
        String last = status("many").key();
        scene.etcd().write();
        scene.cluster().advance(Duration.ofMinutes(10));
        scene.stopOperator();
        scene.startOperator();
        scene.await(
                "the next",
                () -> !status("many").key().equals(last)
                        && status("many").phase().equals(phase));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            BucketNotFound       | storageType: S3; s3: nobucket/x             | has no bucket nobucket: create it
            EndpointsUnreachable | storageType: S3; s3: backups/x; nobody      | none of spec.etcdEndpoints answers
            BadEndpoint          | storageType: S3; s3: backups/x; badport     | has no port between 1 and 65535
            BadEndpoint          | storageType: S3; s3: backups/x; badhost     | has no host that can be looked up
            SecretNotFound       | storageType: S3; s3: backups/x; nosecret    | there is no secret aws in default
            AccessDenied         | storageType: S3; s3: backups/x; wrongkey    | refuses the credentials of secret aws
            BadSecret            | storageType: S3; s3: backups/x; nokey       | has no key credentials
            SnapshotDamaged      | storageType: S3; s3: backups/x; cut         | does not end with its own SHA-256
            ClaimNotFound        | storageType: PVC; pvc: {claimName: missing, path: x} | there is no PersistentVolumeClaim missing
            SnapshotDamaged      | storageType: PVC; pvc: {claimName: shelf, path: x}; cut | does not end with its own SHA-256
            """)
    void whatGoesWrongIsSaid(String reason, String how, String said) throws Exception {
        StringBuilder spec = new StringBuilder();
        String endpoints = endpoints();
        for (String part : how.split("; ", -1)) {
            switch (part.strip()) {
                case "badport" -> endpoints = "['http://127.0.0.1:99999']";
                case "badhost" -> endpoints = "['http://etcd-client.10ns:2379']";
                case "nobody" -> endpoints = "['http://127.0.0.1:1']";
                case "nosecret" ->
                    client.secrets().inNamespace("default").withName("aws").delete();
                case "wrongkey" -> secret(Buckets.secret("wrong"));
                case "nokey" -> {
                    client.secrets().inNamespace("default").withName("aws").delete();
                    secret(Map.of("config", ""));
                }
                case "cut" -> scene.etcd().cutSnapshots(1024);
                default ->
                    spec.append(part.startsWith("s3: ") ? "s3: " + s3(part.substring(4)) : part)
                            .append("\n  ");
            }
        }
        backup("wrong", endpoints, spec.toString());
        EtcdBackupStatus status = ended("wrong");
        assertThat(status.succeeded()).isFalse();
        assertThat(status.reason()).contains(said);
        assertThat(status.conditions().getFirst().getReason()).isEqualTo(reason);
        assertThat(events("wrong")).contains(reason);
        assertThat(keys("x")).isEmpty();
    }

    @Test
    void aCertificateThatCannotBeUsedIsSaid() throws Exception {
        Instant past = scene.cluster().now().minus(Duration.ofDays(40));
        Identity authority = Issuer.authority("c", past, Duration.ofDays(400));
        Identity lapsed = Issuer.certificate(authority, Use.CLIENT, List.of(), past, Duration.ofDays(30));
        client.resource(new SecretBuilder()
                        .withNewMetadata()
                        .withName("tls")
                        .withNamespace("default")
                        .endMetadata()
                        .addToStringData("etcd-client-ca.crt", Pem.of(authority.certificate()))
                        .addToStringData("etcd-client.crt", Pem.of(lapsed.certificate()))
                        .addToStringData("etcd-client.key", Pem.of(lapsed.key()))
                        .build())
                .create();
        backup(
                "one",
                "['https://a.example:2379']",
                "clientTLSSecret: tls\n  storageType: S3\n  s3: " + s3("backups/x"));
        EtcdBackupStatus status = ended("one");
        assertThat(status.succeeded()).isFalse();
        assertThat(status.reason()).startsWith("etcd-client.crt of secret tls lapsed at");
        assertThat(events("one")).contains("BadSecret");
    }

    @Test
    void aPodOfWhichNothingComesIsGivenUp() {
        agents.sleep(true);
        backup(
                "stuck",
                endpoints(),
                "storageType: PVC\n  backupPolicy: {timeoutInSecond: 30}\n  pvc: {claimName: shelf, path: x}");
        scene.await("its pod", () -> !agentPods().isEmpty());
        scene.cluster().advance(Duration.ofMinutes(2));
        EtcdBackupStatus status = ended("stuck");
        assertThat(status.reason()).contains("stuck-save");
        assertThat(status.conditions().getFirst().getReason()).isEqualTo("TimedOut");
    }

    @Test
    void aPodThatIsRefusedIsSaidAndTriedAgain() {
        allowNoMorePods();
        backup("refused", endpoints(), "storageType: PVC\n  pvc: {claimName: shelf, path: x}");
        scene.await(
                "it is said",
                () -> status("refused") != null
                        && status("refused").reason() != null
                        && status("refused").reason().contains("exceeded quota: few"));
        assertThat(status("refused").phase()).isEqualTo("Saving");
        assertThat(status("refused").conditions().getFirst().getReason()).isEqualTo("Refused");
        assertThat(events("refused")).containsExactly("Refused");
        allowPods();
        assertThat(ended("refused").succeeded()).isTrue();
    }

    /** Under the strictest level of Pod Security, pods run as who is no root. */
    @Test
    void aRestrictedNamespaceIsToldFromAndHowToGetIn() {
        client.namespaces().withName("default").edit(namespace -> {
            namespace.getMetadata().getLabels().put("pod-security.kubernetes.io/enforce", "restricted");
            return namespace;
        });
        String spec = "storageType: PVC\n  verify: true\n  pvc: {claimName: shelf, path: x}";
        backup("root", endpoints(), spec);
        scene.await(
                "it is said",
                () -> status("root") != null
                        && status("root").reason() != null
                        && status("root").reason().contains("violates PodSecurity \"restricted"));
        backup(
                "noroot",
                endpoints(),
                spec + "\n  securityContext: {runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000}");
        assertThat(ended("noroot").verified()).isTrue();
        scene.resize(4);
        scene.await(
                "it is said of members too", () -> scene.condition("Hindered").equals("True Refused"));
        client.resources(EtcdCluster.class)
                .inNamespace("default")
                .withName("example-etcd-cluster")
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        "{\"spec\":{\"pod\":{\"securityContext\":{\"runAsNonRoot\":true,\"runAsUser\":1000,\"fsGroup\":1000}}}}");
        scene.awaitMembers(4);
    }

    @Test
    void aPodThatIsRefusedForTooLongIsGivenUp() {
        allowNoMorePods();
        backup("refused", endpoints(), "storageType: PVC\n  pvc: {claimName: shelf, path: x}");
        scene.await(
                "it is said",
                () -> status("refused") != null && status("refused").reason() != null);
        scene.cluster().advance(Duration.ofMinutes(11));
        EtcdBackupStatus status = ended("refused");
        assertThat(status.succeeded()).isFalse();
        assertThat(status.reason()).contains("exceeded quota: few");
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', textBlock = """
            {storageType: GCS, etcdEndpoints: ['http://a:1']}                       | spec.storageType: Unsupported value
            {storageType: S3, etcdEndpoints: ['http://a:1']}                        | storageType S3 needs s3
            {storageType: PVC, etcdEndpoints: ['http://a:1']}                       | storageType PVC needs pvc
            {storageType: S3, s3: {path: a/b, awsSecret: s}}                        | spec.etcdEndpoints: Required value
            {storageType: S3, etcdEndpoints: [], s3: {path: aaa/b, awsSecret: s}}   | should have at least 1 items
            {storageType: S3, etcdEndpoints: ['a:1'], s3: {path: aaa/b, awsSecret: s}} | spec.etcdEndpoints[0]: Invalid value
            {storageType: S3, etcdEndpoints: ['https://a:1'], s3: {path: aaa/b, awsSecret: s}} | need clientTLSSecret
            {storageType: S3, etcdEndpoints: ['http://a:1'], s3: {path: bucket, awsSecret: s}} | spec.s3.path: Invalid value
            {storageType: PVC, etcdEndpoints: ['http://a:1'], pvc: {claimName: c, path: a/../../b}} | must stay within the volume
            {storageType: PVC, etcdEndpoints: ['http://a:1'], pvc: {claimName: c, path: a}, backupPolicy: {maxBackups: -1}} | should be greater than or equal to 0
            {storageType: PVC, etcdEndpoints: ['http://a:1'], pvc: {claimName: c, path: a}, backupPolicy: {maxBackups: 3000000000}} | should be less than or equal to 100000
            {storageType: PVC, etcdEndpoints: ['http://a:1'], pvc: {claimName: c, path: a}, backupPolicy: {timeoutInSecond: 100000}} | should be less than or equal to 86400
            {storageType: PVC, etcdEndpoints: ['http://a:1'], pvc: {claimName: c, path: a}, backupPolicy: {backupIntervalInSecond: 9223372036854775807}} | should be less than or equal to 31536000
            """)
    void whatCannotBeIsRefusedAtOnce(String spec, String said) {
        assertThatThrownBy(() -> scene.apply("""
                        apiVersion: etcd.database.coreos.com/v1beta2
                        kind: EtcdBackup
                        metadata: {name: bad}
                        spec: %s
                        """.formatted(spec))).hasMessageContaining(said);
    }
}
