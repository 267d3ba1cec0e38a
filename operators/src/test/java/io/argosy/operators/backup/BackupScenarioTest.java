package io.argosy.operators.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.junit.ArgosyTest;
import io.argosy.operators.SnapshotScene;
import io.argosy.operators.resource.EtcdBackupStatus;
import io.argosy.operators.storage.Buckets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
            String last = status("many").key();
            scene.etcd().write();
            scene.cluster().advance(Duration.ofMinutes(10));
            // what the operator sleeps for is real time: a new one does not sleep
            scene.stopOperator();
            scene.startOperator();
            scene.await(
                    "the next",
                    () -> !status("many").key().equals(last)
                            && status("many").phase().equals("Succeeded"));
        }
        assertThat(keys("many")).hasSize(2).contains(status("many").key()).doesNotContain(first);
        assertThat(status("many").key()).matches("many_v\\d+_2026-01-01-.*");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            BucketNotFound       | storageType: S3; s3: nobucket/x             | has no bucket nobucket: create it
            EndpointsUnreachable | storageType: S3; s3: backups/x; nobody      | none of spec.etcdEndpoints answers
            BadEndpoint          | storageType: S3; s3: backups/x; badport     | has no port between 1 and 65535
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
