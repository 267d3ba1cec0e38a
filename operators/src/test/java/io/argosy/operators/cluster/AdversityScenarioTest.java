package io.argosy.operators.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.junit.ArgosyTest;
import io.argosy.junit.Cluster;
import io.argosy.operators.Scene;
import io.argosy.operators.resource.EtcdCluster;
import io.argosy.operators.resource.EtcdClusterStatus;
import io.argosy.operators.resource.Names;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes wrong around a cluster: its definition is deleted, clocks jump, disks are full, another cluster hangs. */
@ArgosyTest(nodes = 3)
class AdversityScenarioTest {
    private static final String NAME = "example-etcd-cluster";
    private static final String MANIFEST = """
            apiVersion: etcd.database.coreos.com/v1beta2
            kind: EtcdCluster
            metadata: {name: %s}
            spec: {size: 3, version: 3.4.23}
            """;

    private Scene scene;
    private KubernetesClient client;

    @BeforeEach
    void start(Cluster cluster) {
        client = cluster.client();
        scene = new Scene(cluster, NAME);
        scene.startOperator();
    }

    @AfterEach
    void stop() {
        scene.close();
        assertThat(scene.etcd().complaints()).isEmpty();
    }

    private void applyThree() {
        scene.apply(MANIFEST.formatted(NAME));
        scene.awaitMembers(3);
    }

    @Test
    void aClusterThatHangsDelaysNoOther() {
        applyThree();
        CountDownLatch latch = new CountDownLatch(1);
        scene.members().forEach(member -> scene.etcd().hang(member, latch));
        try {
            for (String other : List.of("second", "third")) {
                scene.apply(MANIFEST.formatted(other));
                scene.await(other + " has its members", () -> isComplete(other));
            }
        } finally {
            latch.countDown();
        }
        scene.awaitMembers(3);
        assertThat(scene.events()).doesNotContain("QuorumLost");
    }

    private boolean isComplete(String name) {
        EtcdClusterStatus status = client.resources(EtcdCluster.class)
                .inNamespace("default")
                .withName(name)
                .get()
                .getStatus();
        return status != null && status.members().ready().size() == 3;
    }

    @Test
    void aDeletedDefinitionIsMadeAgain() {
        applyThree();
        String definition = "etcdclusters." + Names.GROUP;
        String uid = uid(definition);
        client.apiextensions()
                .v1()
                .customResourceDefinitions()
                .withName(definition)
                .delete();
        scene.await("it is made again", () -> uid(definition) != null && !uid.equals(uid(definition)));
        scene.await("what was the cluster's is gone with it", () -> scene.pods().isEmpty());
        scene.await("clusters can be made again", () -> {
            try {
                scene.apply(MANIFEST.formatted(NAME));
                return true;
            } catch (RuntimeException notYet) {
                return false;
            }
        });
        scene.awaitMembers(3);
        assertThat(scene.etcd().clustersEver()).isEqualTo(2);
    }

    private String uid(String definition) {
        var found = client.apiextensions()
                .v1()
                .customResourceDefinitions()
                .withName(definition)
                .get();
        return found == null || found.getMetadata().getDeletionTimestamp() != null
                ? null
                : found.getMetadata().getUid();
    }

    @ParameterizedTest(name = "{0} h")
    @ValueSource(ints = {-24 * 365, -2, 2, 24 * 365})
    void aClockThatJumpsCostsNoMember(int hours) {
        applyThree();
        List<String> members = scene.members();
        List<String> pods = scene.uids(scene.pods());
        String silent = silenceFollower();
        scene.setClockWrong(Duration.ofHours(hours));
        scene.letItLook();
        scene.setClockWrong(Duration.ZERO);
        scene.letItLook();
        scene.etcd().unsilence(silent);
        scene.awaitMembers(3);
        assertThat(scene.members()).isEqualTo(members);
        assertThat(scene.uids(scene.pods())).isEqualTo(pods);
        assertThat(scene.etcd().journal()).noneMatch(change -> change.startsWith("remove"));
    }

    /** One that does not lead. */
    private String silenceFollower() {
        String silent = scene.members().stream()
                .filter(name -> !name.equals(scene.status().leader()))
                .findFirst()
                .orElseThrow();
        scene.etcd().silence(silent);
        scene.await("its silence is seen", () -> scene.condition("Recovering").equals("True MembersSilent"));
        return silent;
    }

    @ParameterizedTest(name = "{0} days")
    @ValueSource(ints = {-30, 30})
    void silenceCountsWhateverTheClockShows(int days) {
        applyThree();
        scene.setClockWrong(Duration.ofDays(days));
        String silent = silenceFollower();
        scene.setClockWrong(Duration.ZERO);
        scene.letItLook();
        scene.watch(Duration.ofMinutes(6));
        scene.await("it is replaced", () -> scene.etcd().journal().contains("remove " + silent));
        scene.awaitMembers(3);
    }

    @Test
    void timeInWhichNobodyLooksIsNoSilence() {
        applyThree();
        List<String> members = scene.members();
        String silent = silenceFollower();
        scene.stopOperator();
        scene.cluster().advance(Duration.ofMinutes(10));
        long looks = scene.etcd().looks();
        scene.startOperator();
        scene.await("it has looked", () -> scene.etcd().looks() > looks + 3);
        scene.etcd().unsilence(silent);
        scene.awaitMembers(3);
        assertThat(scene.members()).isEqualTo(members);
        assertThat(scene.etcd().journal()).noneMatch(change -> change.startsWith("remove"));
    }

    @Test
    void whoHasGotAMembersAddressIsNotBelieved() {
        applyThree();
        scene.apply(MANIFEST.formatted("other"));
        scene.await("the other has its members", () -> isComplete("other"));
        List<String> members = scene.members();
        List<String> volumes = scene.uids(scene.volumes());
        String stranger = memberOf("other");
        members.forEach(scene.etcd()::silence);
        scene.etcd().redirect(members.getFirst(), stranger);
        scene.await("it is said", () -> scene.condition("Available").equals("False QuorumLost"));
        scene.letItLook();
        assertThat(scene.uids(scene.volumes())).isEqualTo(volumes);
        assertThat(scene.members()).isEmpty();

        scene.etcd().redirect(members.getFirst(), null);
        members.forEach(scene.etcd()::unsilence);
        scene.awaitMembers(3);
        assertThat(scene.members()).isEqualTo(members);
        assertThat(scene.uids(scene.volumes())).isEqualTo(volumes);
    }

    @Test
    void aMemberWhereAnotherWasIsNotTakenForIt() {
        applyThree();
        List<String> members = scene.members();
        String leader = scene.status().leader();
        String other = members.stream()
                .filter(name -> !name.equals(leader))
                .findFirst()
                .orElseThrow();
        scene.etcd().redirect(other, leader);
        scene.await("it is missed", () -> scene.condition("Recovering").equals("True MembersSilent"));
        assertThat(scene.message("Recovering")).contains(other).doesNotContain(leader);
        assertThat(scene.status().leader()).isEqualTo(leader);
        scene.etcd().redirect(other, null);
        scene.awaitMembers(3);
        assertThat(scene.members()).isEqualTo(members);
    }

    @Test
    void whoAnswersForTheSeedOfANewClusterIsNotBelievedEither() {
        scene.apply(MANIFEST.formatted("other"));
        scene.await("the other has its members", () -> isComplete("other"));
        String stranger = memberOf("other");
        scene.etcd().redirect(NAME + "-", stranger);
        scene.apply(MANIFEST.formatted(NAME));
        scene.await(
                "it is said",
                () -> scene.status() != null
                        && scene.status().reason() != null
                        && scene.status().reason().contains("is answered by a member of etcd cluster"));
        assertThat(scene.status().clusterId()).isNull();
        assertThat(scene.pods()).hasSize(1);
    }

    @Test
    void whoWasAddedByHandElsewhereGetsNoPod() {
        applyThree();
        scene.etcd().addByHand("http://10.0.0.5:2380");
        scene.await("it is removed", () -> scene.etcd().journal().contains("remove 10"));
        scene.awaitMembers(3);
        assertThat(scene.events()).doesNotContain("MemberAdopted");
    }

    @Test
    void consentThatWasUsedAndNotWrittenDownIsStillUsed() {
        applyThree();
        String survivor = scene.members().getFirst();
        scene.destroy(scene.members().subList(1, 3));
        scene.await("it is said", () -> scene.condition("Available").equals("False QuorumLost"));
        scene.etcd().silence(survivor); // so that it stays forced until the operator is stopped
        scene.consent(survivor);
        scene.await(
                "it is forced",
                () -> scene.volumes().stream()
                        .anyMatch(volume -> MemberNotes.of(volume).force()));
        scene.stopOperator();
        client.resources(EtcdCluster.class)
                .inNamespace("default")
                .withName(NAME)
                .subresource("status")
                .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"status\":{\"recoveredFrom\":null}}");
        scene.startOperator();
        scene.etcd().unsilence(survivor);
        scene.awaitMembers(3);
        assertThat(scene.status().recoveredFrom()).isEqualTo(survivor);
        scene.destroy(
                scene.members().stream().filter(name -> !name.equals(survivor)).toList());
        scene.await("it is said again", () -> scene.condition("Available").equals("False QuorumLost"));
        scene.letItLook();
        assertThat(scene.condition("Available")).isEqualTo("False QuorumLost");
    }

    @Test
    void othersThatStillRunAreEndedBeforeASurvivorGoesOnAlone() {
        applyThree();
        List<String> members = scene.members();
        String survivor = members.getFirst();
        members.forEach(scene.etcd()::silence);
        scene.await("it is said", () -> scene.condition("Available").equals("False QuorumLost"));
        scene.consent(survivor);
        scene.await(
                "the others are ended",
                () -> scene.pods().stream()
                        .map(pod -> pod.getMetadata().getName())
                        .toList()
                        .equals(List.of(survivor)));
        members.forEach(scene.etcd()::unsilence);
        scene.awaitMembers(3);
        assertThat(scene.members()).contains(survivor).doesNotContain(members.get(1), members.get(2));
        assertThat(scene.status().recoveredFrom()).isEqualTo(survivor);
    }

    @Test
    void anUpgradeGoesOnWhereAnotherOperatorLeftIt() {
        scene.apply(MANIFEST.formatted(NAME).replace("3.4.23", "3.4.22"));
        scene.awaitMembers(3);
        List<String> members = scene.members();
        scene.version("3.4.23");
        for (int upgraded = 1; upgraded <= 2; upgraded++) {
            int many = upgraded;
            scene.await(
                    many + " are upgraded",
                    () -> scene.events().stream()
                                    .filter("MemberUpgraded"::equals)
                                    .count()
                            >= many);
            scene.stopOperator();
            scene.startOperator();
        }
        scene.await("all run the new one", () -> "3.4.23".equals(scene.status().currentVersion()));
        scene.awaitMembers(3);
        assertThat(scene.members()).isEqualTo(members);
        assertThat(scene.events()).filteredOn("MemberUpgraded"::equals).hasSize(3);
        assertThat(scene.events()).doesNotContain("QuorumLost");
    }

    private String memberOf(String name) {
        return client.resources(EtcdCluster.class)
                .inNamespace("default")
                .withName(name)
                .get()
                .getStatus()
                .members()
                .ready()
                .getFirst();
    }

    @Test
    void whatMembersComplainOfIsSaid() {
        applyThree();
        scene.etcd().alarm("memberID:7 alarm:NOSPACE ");
        scene.await("it is said", () -> scene.condition("Available").equals("True AlarmRaised"));
        assertThat(scene.message("Available")).contains("takes no writes", "etcdctl alarm disarm");
        assertThat(scene.events()).contains("AlarmRaised");
        scene.etcd().alarm(null);
        scene.await("it is over", () -> scene.condition("Available").equals("True MajorityAnswers"));
    }
}
