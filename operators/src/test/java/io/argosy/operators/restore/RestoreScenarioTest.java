package io.argosy.operators.restore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.junit.ArgosyTest;
import io.argosy.operators.SnapshotScene;
import io.argosy.operators.resource.EtcdRestoreStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Restores on a cluster of simulated nodes. */
@ArgosyTest(nodes = 3)
class RestoreScenarioTest extends SnapshotScene {
    @Test
    void aLostClusterGoesOnFromASnapshotUnderItsName() {
        saveOne();
        String id = scene.status().clusterId();
        List<String> before = scene.members();
        loseMajority();
        restore("back", "backupStorageType: S3\n  s3: " + s3("backups/one"));
        EtcdRestoreStatus status = restored("back");
        assertThat(status.reason()).isNull();
        assertThat(status.succeeded()).isTrue();
        assertThat(status.phase()).isEqualTo("Succeeded");
        scene.awaitMembers(3);
        assertThat(scene.members()).contains(status.seed()).doesNotContainAnyElementsOf(before);
        assertThat(scene.status().clusterId()).isNotEqualTo(id);
        assertThat(scene.etcd().clustersEver()).isEqualTo(2);
        scene.await(
                "what the old ones had is gone",
                () -> scene.volumes().size() == 3 && agentPods().isEmpty());
        assertThat(scene.events()).contains("RestoringFromSnapshot", "RestoredFromSnapshot");
        assertThat(events("back")).contains("SnapshotUnpacked", "SeedHandedOver", "RestoreSucceeded");
    }

    @Test
    void operatorsThatDieAtAnyMomentAreSucceeded() {
        saveOne();
        loseMajority();
        restore("back", "backupStorageType: S3\n  s3: " + s3("backups/one"));
        for (String phase : List.of("Unpacking", "HandingOver", "Growing")) {
            scene.await(
                    phase,
                    () -> restoring("back") != null
                            && (restoring("back").phase().equals(phase)
                                    || restoring("back").succeeded() != null));
            scene.stopOperator();
            scene.startOperator();
        }
        assertThat(restored("back").succeeded()).isTrue();
        scene.awaitMembers(3);
        assertThat(scene.etcd().clustersEver()).isEqualTo(2);
    }

    @Test
    void ofTwoAtOnceTheSecondFindsAHealthyCluster() {
        saveOne();
        loseMajority();
        restore("back", "backupStorageType: S3\n  s3: " + s3("backups/one"));
        scene.cluster().advance(Duration.ofSeconds(2)); // ages are told by the second
        restore("again", "backupStorageType: S3\n  s3: " + s3("backups/one"));
        EtcdRestoreStatus first = restored("back");
        assertThat(first.succeeded()).isTrue();
        EtcdRestoreStatus second = restored("again");
        assertThat(second.conditions().getFirst().getReason()).isEqualTo("TargetHealthy");
        scene.awaitMembers(3);
        assertThat(scene.members()).contains(first.seed());
        assertThat(scene.etcd().clustersEver()).isEqualTo(2);
    }

    @Test
    void aHealthyClusterIsReplacedOnlyByForce() {
        saveOne();
        List<String> before = scene.members();
        restore("refused", "backupStorageType: S3\n  s3: " + s3("backups/one"));
        assertThat(restored("refused").reason()).contains("spec.force: true");
        scene.letItLook();
        assertThat(scene.members()).isEqualTo(before);
        assertThat(scene.volumes()).hasSize(3);
        restore("forced", "backupStorageType: S3\n  force: true\n  s3: " + s3("backups/one"));
        assertThat(restored("forced").succeeded()).isTrue();
        scene.awaitMembers(3);
        assertThat(scene.members()).doesNotContainAnyElementsOf(before);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            SnapshotForeign  | some/letter  | are no snapshot of etcd
            SnapshotDamaged  | some/piece   | does not end with its own SHA-256
            SnapshotNotFound | some/nothing | there is no pvc://shelf/some/nothing
            """)
    void aSnapshotThatIsNoneTouchesNothing(String reason, String path, String said) throws Exception {
        Path shelf = Files.createDirectories(agents.claim("shelf").resolve("some"));
        Files.writeString(shelf.resolve("letter"), "Dear friend, ".repeat(200));
        backup("good", endpoints(), "storageType: PVC\n  pvc: {claimName: shelf, path: some/good}");
        assertThat(ended("good").succeeded()).isTrue();
        Files.write(shelf.resolve("piece"), Arrays.copyOf(Files.readAllBytes(shelf.resolve("good")), 1056));
        loseMajority();
        List<String> pods = scene.uids(scene.pods());
        List<String> volumes = scene.uids(scene.volumes());
        restore("bad", "backupStorageType: PVC\n  pvc: {claimName: shelf, path: " + path + "}");
        EtcdRestoreStatus status = restored("bad");
        assertThat(status.succeeded()).isFalse();
        assertThat(status.reason()).contains(said);
        assertThat(status.conditions().getFirst().getReason()).isEqualTo(reason);
        scene.await(
                "what it made is gone",
                () -> agentPods().isEmpty()
                        && client.persistentVolumeClaims()
                                        .inNamespace("default")
                                        .withName(status.seed())
                                        .get()
                                == null);
        assertThat(scene.uids(scene.pods())).isEqualTo(pods);
        assertThat(scene.uids(scene.volumes())).isEqualTo(volumes);
        assertThat(scene.condition("Available")).isEqualTo("False QuorumLost");
    }

    @Test
    void aClusterThatNeverWasIsBegunFromASnapshot() {
        saveOne();
        scene.deleteCluster();
        scene.apply("""
                apiVersion: etcd.database.coreos.com/v1beta2
                kind: EtcdCluster
                metadata: {name: example-etcd-cluster}
                spec: {size: 3, version: 3.4.23, paused: true}
                """);
        restore("back", "backupStorageType: S3\n  s3: " + s3("backups/one"));
        scene.await(
                "it says what it waits for",
                () -> Optional.ofNullable(restoring("back"))
                        .map(EtcdRestoreStatus::reason)
                        .filter(reason -> reason.contains("spec.paused is true: set it to false"))
                        .isPresent());
        scene.pause(false);
        assertThat(restored("back").succeeded()).isTrue();
        scene.awaitMembers(3);
    }

    @Test
    void everythingGoneIsBegunAnewFromASnapshot() {
        saveOne();
        scene.destroy(scene.members());
        scene.await("it is said", () -> scene.condition("Available").equals("False AllMembersLost"));
        restore("back", "backupStorageType: S3\n  s3: " + s3("backups/one"));
        assertThat(restored("back").succeeded()).isTrue();
        scene.awaitMembers(3);
    }

    @Test
    void aRestoreIsNotChanged() {
        restore("other", "backupStorageType: PVC\n  pvc: {claimName: shelf, path: x}");
        assertThatThrownBy(() -> restore("other", "backupStorageType: PVC\n  pvc: {claimName: shelf, path: y}"))
                .hasMessageContaining("a restore happens once");
    }

    @Test
    void aPodThatIsRefusedIsSaidAndTriedAgain() {
        saveOne();
        loseMajority();
        allowNoMorePods();
        restore("back", "backupStorageType: S3\n  s3: " + s3("backups/one"));
        scene.await(
                "it is said",
                () -> restoring("back") != null
                        && restoring("back").reason() != null
                        && restoring("back").reason().contains("exceeded quota: few"));
        assertThat(restoring("back").phase()).isEqualTo("Unpacking");
        allowPods();
        assertThat(restored("back").succeeded()).isTrue();
    }
}
