package io.argosy.operators.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.junit.ArgosyTest;
import io.argosy.junit.Cluster;
import io.argosy.operators.Scene;
import io.argosy.operators.resource.EtcdClusterStatus;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The operator on a whole cluster of simulated nodes, with an etcd whose members are remembered and whose keys are not. */
@ArgosyTest(nodes = 3)
class ClusterScenarioTest {
    private static final String NAME = "example-etcd-cluster";
    private static final String SEED_MANIFEST = """
            apiVersion: "etcd.database.coreos.com/v1beta2"
            kind: "EtcdCluster"
            metadata:
              name: "example-etcd-cluster"
            spec:
              size: 3
              version: "3.2.13"
            """;

    private Scene scene;
    private String[] accepted = {};

    @BeforeEach
    void start(Cluster cluster) {
        scene = new Scene(cluster, NAME);
        scene.startOperator();
    }

    @AfterEach
    void stop() {
        scene.close();
        assertThat(scene.etcd().complaints(accepted)).isEmpty();
    }

    private void applyThree() {
        scene.apply(SEED_MANIFEST.replace("3.2.13", "3.4.23"));
        scene.awaitMembers(3);
    }

    @Test
    void theSeedsManifestBecomesThreeMembers(KubernetesClient client) {
        scene.apply(SEED_MANIFEST);
        scene.awaitMembers(3);
        EtcdClusterStatus status = scene.status();
        assertThat(status.phase()).isEqualTo("Running");
        assertThat(status.size()).isEqualTo(3);
        assertThat(status.currentVersion()).isEqualTo("3.2.13");
        assertThat(status.clientUrl()).isEqualTo("http://example-etcd-cluster-client.default.svc:2379");
        assertThat(scene.members()).allMatch(name -> name.matches(NAME + "-[a-z0-9]{10}"));
        assertThat(scene.volumes()).hasSize(3);
        assertThat(scene.pods())
                .allMatch(pod ->
                        pod.getSpec().getContainers().getFirst().getImage().equals("quay.io/coreos/etcd:v3.2.13"))
                .extracting(pod -> pod.getSpec().getNodeName())
                .doesNotHaveDuplicates();
        Service peers = client.services().inNamespace("default").withName(NAME).get();
        assertThat(peers.getSpec().getClusterIP()).isEqualTo("None");
        assertThat(peers.getSpec().getPublishNotReadyAddresses()).isTrue();
        assertThat(client.services()
                        .inNamespace("default")
                        .withName(NAME + "-client")
                        .get()
                        .getSpec()
                        .getPorts()
                        .getFirst()
                        .getPort())
                .isEqualTo(2379);
        assertThat(client.policy()
                        .v1()
                        .podDisruptionBudget()
                        .inNamespace("default")
                        .withName(NAME)
                        .get()
                        .getSpec()
                        .getMaxUnavailable()
                        .getIntVal())
                .isEqualTo(1);
        assertThat(scene.events())
                .contains("SeedMemberCreated", "NewMemberAdded", "Available")
                .doesNotContain("QuorumLost");
        assertThat(scene.etcd().clustersEver()).isEqualTo(1);
    }

    @Test
    void itGrowsByLearnersAndShrinksWithoutItsLeader() {
        applyThree();
        assertThat(scene.etcd().journal())
                .filteredOn(change -> change.startsWith("promote"))
                .hasSize(2);
        scene.resize(5);
        scene.awaitMembers(5);
        String leader = scene.status().leader();
        scene.resize(3);
        scene.awaitMembers(3);
        assertThat(scene.members()).contains(leader);
        scene.await("the volumes of the two go too", () -> scene.volumes().size() == 3);
        assertThat(scene.events()).contains("MemberRemoved", "MemberPromoted");
        scene.resize(2);
        scene.awaitMembers(2);
        assertThat(scene.condition("Available")).isEqualTo("True EvenSize");
        assertThat(scene.message("Available")).contains("2 members survive no more losses than 1");
        assertThat(scene.events()).contains("EvenSize");
        scene.resize(1);
        scene.awaitMembers(1);
        assertThat(scene.etcd().clustersEver()).isEqualTo(1);
    }

    @Test
    void podsThatAreDeletedComeBackAsThemselves() {
        applyThree();
        List<String> members = scene.members();
        List<String> volumes = scene.uids(scene.volumes());
        for (int many = 1; many <= 3; many++) {
            List<String> pods = scene.uids(scene.pods());
            scene.deletePods(members.subList(0, many));
            int gone = many;
            scene.await(
                    many + " new pods",
                    () -> scene.uids(scene.pods()).stream()
                                    .filter(pods::contains)
                                    .count()
                            == 3 - gone);
            scene.awaitMembers(3);
            scene.await("the same members", () -> scene.members().equals(members));
            assertThat(scene.uids(scene.volumes())).isEqualTo(volumes);
        }
        assertThat(scene.etcd().journal()).noneMatch(change -> change.startsWith("remove"));
        assertThat(scene.etcd().clustersEver()).isEqualTo(1);
        assertThat(scene.events()).contains("MemberStarted");
    }

    @Test
    void aMemberWhoseVolumeIsGoneIsReplaced() {
        applyThree();
        List<String> members = scene.members();
        scene.destroy(members.subList(0, 1));
        scene.await("it is replaced", () -> scene.etcd().journal().contains("remove " + members.getFirst()));
        scene.awaitMembers(3);
        assertThat(scene.members()).doesNotContain(members.getFirst()).containsAll(members.subList(1, 3));
        assertThat(scene.events()).contains("ReplacingDeadMember");
    }

    @Test
    void aMemberThatIsSilentForTooLongIsReplaced() {
        applyThree();
        String silent = scene.members().stream()
                .filter(name -> !name.equals(scene.status().leader()))
                .findFirst()
                .orElseThrow();
        scene.etcd().silence(silent);
        scene.await("its silence is seen", () -> scene.condition("Recovering").equals("True MembersSilent"));
        scene.letItLook();
        assertThat(scene.etcd().journal()).doesNotContain("remove " + silent);
        scene.watch(Duration.ofMinutes(6));
        scene.awaitMembers(3);
        assertThat(scene.members()).doesNotContain(silent);
        scene.await("its volume goes", () -> scene.volumes().size() == 3);
    }

    @Test
    void aLostMajorityIsSaidAndNothingIsDestroyedUntilTheUserConsents() {
        applyThree();
        List<String> members = scene.members();
        String survivor = members.getFirst();
        String id = scene.status().clusterId();
        scene.destroy(members.subList(1, 3));
        scene.await("it is said", () -> scene.condition("Available").equals("False QuorumLost"));
        List<String> pods = scene.uids(scene.pods());
        scene.letItLook();
        assertThat(scene.uids(scene.pods())).isEqualTo(pods);
        assertThat(scene.pods()).extracting(pod -> pod.getMetadata().getName()).containsExactly(survivor);
        assertThat(scene.status().phase()).isEqualTo("Failed");
        assertThat(scene.message("Available")).contains("Nothing is deleted", "from a snapshot", "member: " + survivor);
        assertThat(scene.events()).contains("QuorumLost");

        scene.consent(survivor);
        scene.awaitMembers(3);
        assertThat(scene.members()).contains(survivor).doesNotContain(members.get(1), members.get(2));
        assertThat(scene.status().clusterId()).isEqualTo(id);
        assertThat(scene.status().recoveredFrom()).isEqualTo(survivor);
        assertThat(scene.events()).contains("RecoveringFromSurvivor", "RecoveredFromSurvivor");

        // consent counts once
        List<String> others =
                scene.members().stream().filter(name -> !name.equals(survivor)).toList();
        scene.destroy(others);
        scene.await("it is said again", () -> scene.condition("Available").equals("False QuorumLost"));
        scene.letItLook();
        assertThat(scene.condition("Available")).isEqualTo("False QuorumLost");
    }

    @Test
    void everythingGoneIsNeverBegunAnew() {
        applyThree();
        scene.destroy(scene.members());
        scene.await("it is said", () -> scene.condition("Available").equals("False AllMembersLost"));
        scene.letItLook();
        assertThat(scene.pods()).isEmpty();
        assertThat(scene.etcd().clustersEver()).isEqualTo(1);
    }

    @Test
    void anOperatorThatDiesBetweenMemberAddAndThePodIsSucceeded() {
        for (String version : List.of("3.2.13", "3.4.23")) { // without learners and with them
            scene.apply(SEED_MANIFEST.replace("3.2.13", version));
            scene.awaitMembers(3);
            scene.etcd().afterNextAdd(() -> {
                throw new IllegalStateException("the operator dies here");
            });
            scene.resize(5);
            scene.await(
                    "one was added",
                    () -> scene.etcd().journal().stream()
                                    .filter(change -> change.startsWith("add"))
                                    .count()
                            >= 3);
            scene.stopOperator();
            scene.startOperator();
            scene.awaitMembers(5);
            assertThat(scene.events()).contains("MemberAdopted");
            scene.deleteCluster();
        }
    }

    @Test
    void alsoWhenTheSecondOfTwoCountsBeforeItIsThere() {
        scene.etcd().afterNextAdd(() -> {
            throw new IllegalStateException("the operator dies here");
        });
        scene.apply(SEED_MANIFEST);
        scene.awaitMembers(3);
        assertThat(scene.events()).contains("MemberAdopted").doesNotContain("QuorumLost");
    }

    @Test
    void itIsUpgradedMemberByMemberAndNotBack() {
        scene.apply(SEED_MANIFEST.replace("3.2.13", "3.4.22"));
        scene.awaitMembers(3);
        List<String> members = scene.members();
        scene.version("3.4.23");
        scene.await("all run the new one", () -> "3.4.23".equals(scene.status().currentVersion()));
        scene.awaitMembers(3);
        assertThat(scene.members()).isEqualTo(members);
        assertThat(scene.pods())
                .allMatch(pod ->
                        pod.getSpec().getContainers().getFirst().getImage().endsWith(":v3.4.23"));
        assertThat(scene.events()).filteredOn("MemberUpgraded"::equals).hasSize(3);
        assertThatThrownBy(() -> scene.version("3.4.22")).hasMessageContaining("etcd cannot be downgraded");
        assertThatThrownBy(() -> scene.version("3.6.0")).hasMessageContaining("one minor version at a time");
    }

    @Test
    void aPausedClusterIsLeftAlone() {
        applyThree();
        scene.pause(true);
        scene.await("it is seen", () -> Boolean.TRUE.equals(scene.status().controlPaused()));
        scene.deletePods(scene.members().subList(0, 1));
        scene.resize(5);
        scene.letItLook();
        assertThat(scene.pods()).hasSize(2);
        assertThat(scene.status().reason()).contains("spec.paused");
        scene.pause(false);
        scene.awaitMembers(5);
    }

    @Test
    void membersWithoutVolumesAreReplacedWhenTheirPodsGo() {
        accepted = new String[] {"the leader was removed"}; // as the last of the outdated
        scene.apply(SEED_MANIFEST.replace("3.2.13", "3.4.22") + "  pod: {ephemeral: true}\n");
        scene.awaitMembers(3);
        assertThat(scene.volumes()).isEmpty();
        String gone = scene.members().getFirst();
        scene.deletePods(List.of(gone));
        scene.await("it is replaced", () -> scene.etcd().journal().contains("remove " + gone));
        scene.awaitMembers(3);
        scene.version("3.4.23");
        scene.await("all run the new one", () -> "3.4.23".equals(scene.status().currentVersion()));
        scene.awaitMembers(3);
        assertThat(scene.etcd().clustersEver()).isEqualTo(1);
    }

    @Test
    void certificatesThatAreNotThereAreSaid(KubernetesClient client) {
        scene.apply(SEED_MANIFEST.replace("3.2.13", "3.4.23")
                + "  TLS: {static: {member: {serverSecret: server}, operatorSecret: operator}}\n");
        scene.await(
                "the missing secret is named",
                () -> !scene.condition("Available").isEmpty()
                        && scene.message("Available").contains("there is no secret operator"));
        client.secrets()
                .inNamespace("default")
                .resource(new SecretBuilder()
                        .withNewMetadata()
                        .withName("operator")
                        .endMetadata()
                        .addToStringData("etcd-client.crt", "c")
                        .build())
                .create();
        scene.await(
                "the missing key is named",
                () -> scene.message("Available").contains("secret operator has no etcd-client-ca.crt"));
        assertThat(scene.condition("Available")).isEqualTo("False Starting");
    }

    @Test
    void whatItOwnsGoesWithIt() {
        applyThree();
        scene.deleteCluster();
        assertThat(scene.etcd().journal()).noneMatch(change -> change.startsWith("remove"));
    }

    @Test
    void servicesComeBack(KubernetesClient client) {
        applyThree();
        client.services().inNamespace("default").withName(NAME + "-client").delete();
        scene.await(
                "it is there again",
                () -> client.services()
                                .inNamespace("default")
                                .withName(NAME + "-client")
                                .get()
                        != null);
    }

    @Test
    void whoDrainsNodesTakesOneMemberAtATime(KubernetesClient client) {
        applyThree();
        scene.await("the budget is counted", () -> budget(client) == 1);
        assertThat(client.pods()
                        .inNamespace("default")
                        .withName(scene.members().get(0))
                        .evict())
                .isTrue();
        assertThat(client.pods()
                        .inNamespace("default")
                        .withName(scene.members().get(1))
                        .evict())
                .as("while one is away")
                .isFalse();
        scene.awaitMembers(3);
        scene.await("the budget is counted", () -> budget(client) == 1);
        assertThat(client.pods()
                        .inNamespace("default")
                        .withName(scene.members().get(1))
                        .evict())
                .isTrue();
        scene.awaitMembers(3);
    }

    private static int budget(KubernetesClient client) {
        var status = client.policy()
                .v1()
                .podDisruptionBudget()
                .inNamespace("default")
                .withName(NAME)
                .get()
                .getStatus();
        return status == null || status.getDisruptionsAllowed() == null ? 0 : status.getDisruptionsAllowed();
    }

    @Test
    void twoClustersOfOneNameInTwoNamespacesDoNotMeet(KubernetesClient client) {
        client.namespaces()
                .resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName("other")
                        .endMetadata()
                        .build())
                .create();
        scene.apply(SEED_MANIFEST);
        scene.apply(SEED_MANIFEST.replace("metadata:", "metadata:\n  namespace: other"));
        scene.awaitMembers(3);
        scene.await(
                "the other too",
                () -> client.pods().inNamespace("other").list().getItems().size() == 3);
        assertThat(scene.etcd().clustersEver()).isEqualTo(2);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', textBlock = """
            size: 0                                                       | should be greater than or equal to 1
            size: 8                                                       | should be less than or equal to 7
            size: three                                                   | must be of type integer
            version: 3.4.23                                               | spec.size: Required value
            {size: 3, version: latest}                                    | spec.version: Invalid value
            {size: 3, version: v3.4.23}                                   | spec.version: Invalid value
            {size: 3, failoverAfterSeconds: 1}                            | should be greater than or equal to 30
            {size: 3, failoverAfterSeconds: 3000000000}                   | should be less than or equal to 604800
            {size: 3, pod: {securityContext: {runAsUser: nobody}}}        | spec.pod.securityContext.runAsUser in body must be of type integer
            {size: 3, pod: {tolerations: [{tolerationSeconds: soon}]}}    | tolerationSeconds in body must be of type integer
            {size: 3, pod: {resources: {limits: {cpu: many}}}}            | spec.pod.resources.limits.cpu
            {size: 3, pod: {affinity: {podAntiAffinity: [a]}}}            | spec.pod.affinity.podAntiAffinity in body must be of type object
            {size: 3, pod: {persistentVolumeClaimSpec: {accessModes: x}}} | accessModes in body must be of type array
            {size: 3, pod: {etcdEnv: [{name: A, value: 5}]}}              | etcdEnv[0].value in body must be of type string
            {size: 3, pod: {etcdEnv: [{name: ETCD_NAME, value: a}]}}      | etcd does not start with both
            {size: 3, recovery: {member: a}}                              | spec.recovery.acceptDataLoss: Required value
            {size: 3, pod: {ephemeral: true, persistentVolumeClaimSpec: {}}} | either ephemeral or has a persistentVolumeClaimSpec
            {size: 3, TLS: {static: {member: {serverSecret: s}}}}         | the operator is a client too
            {size: 3, version: 3.2.13, TLS: {static: {operatorSecret: s}}} | TLS needs etcd 3.3 or newer
            """)
    void whatCannotBeIsRefusedAtOnce(String spec, String said) {
        String body = spec.startsWith("{") ? spec : "{" + spec + "}";
        assertThatThrownBy(() -> scene.apply("""
                        apiVersion: etcd.database.coreos.com/v1beta2
                        kind: EtcdCluster
                        metadata: {name: example-etcd-cluster}
                        spec: %s
                        """.formatted(body))).hasMessageContaining(said);
    }

    @Test
    void aNameTooLongForItsMembersIsRefused() {
        assertThatThrownBy(() -> scene.apply(SEED_MANIFEST.replace(NAME, "a".repeat(53))))
                .hasMessageContaining("may be 52 characters long");
    }
}
