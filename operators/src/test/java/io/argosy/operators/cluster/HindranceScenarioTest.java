package io.argosy.operators.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.junit.ArgosyTest;
import io.argosy.junit.Cluster;
import io.argosy.operators.Scene;
import io.argosy.operators.resource.EtcdCluster;
import io.argosy.operators.resource.Names;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is in the operator's way and not its own to remove: it is said, does no harm meanwhile, and when it is gone things go on. */
@ArgosyTest(nodes = 3)
class HindranceScenarioTest {
    private static final String NAME = "web";

    private Scene scene;
    private Cluster cluster;
    private KubernetesClient client;

    @BeforeEach
    void start(Cluster started) {
        cluster = started;
        client = cluster.client();
        scene = new Scene(cluster, NAME);
        scene.startOperator();
    }

    @AfterEach
    void stop() {
        scene.close();
        assertThat(scene.etcd().complaints()).isEmpty();
    }

    private void apply(String name, String spec) {
        scene.apply("""
                apiVersion: etcd.database.coreos.com/v1beta2
                kind: EtcdCluster
                metadata: {name: %s}
                spec: %s
                """.formatted(name, spec));
    }

    private void awaitHindered(String reason, String said) {
        scene.await(
                reason + ": " + said,
                () -> scene.condition("Hindered").equals("True " + reason)
                        && scene.message("Hindered").contains(said));
        assertThat(scene.status().reason()).contains(said);
        scene.await("an event tells it", () -> scene.events().contains(reason));
    }

    private void patch(String json) {
        client.resources(EtcdCluster.class)
                .inNamespace("default")
                .withName(NAME)
                .patch(PatchContext.of(PatchType.JSON_MERGE), json);
    }

    @Test
    void anObjectThatCannotBeReadIsItsOwnTroubleOnly() {
        letAnythingPass("etcdclusters");
        apply(NAME, "{size: 1, version: 3.4.23, pod: {securityContext: {runAsUser: nobody}}}");
        awaitHindered("SpecUnreadable", "runAsUser");
        apply("other", "{size: 1, version: 3.4.23}");
        scene.await("another is run", () -> isAvailable("other"));
        scene.stopOperator();
        scene.startOperator();
        apply("third", "{size: 1, version: 3.4.23}");
        scene.await("also by an operator that starts beside it", () -> isAvailable("third"));
        patch("{\"spec\":{\"pod\":{\"securityContext\":{\"runAsUser\":1}}}}");
        scene.awaitMembers(1);
        assertThat(scene.condition("Hindered")).isEmpty();
    }

    /** As an older definition would. */
    private void letAnythingPass(String plural) {
        client.apiextensions()
                .v1()
                .customResourceDefinitions()
                .withName(plural + "." + Names.GROUP)
                .edit(definition -> {
                    var schema = definition
                            .getSpec()
                            .getVersions()
                            .getFirst()
                            .getSchema()
                            .getOpenAPIV3Schema();
                    schema.setXKubernetesValidations(List.of());
                    var spec = schema.getProperties().get("spec");
                    spec.setProperties(null);
                    spec.setRequired(List.of());
                    spec.setXKubernetesValidations(List.of());
                    spec.setXKubernetesPreserveUnknownFields(true);
                    return definition;
                });
    }

    private boolean isAvailable(String name) {
        var status = client.resources(EtcdCluster.class)
                .inNamespace("default")
                .withName(name)
                .get()
                .getStatus();
        return status != null
                && status.members() != null
                && status.members().ready().size() == 1;
    }

    @Test
    void noMemberIsAddedThatMayHaveNoPod() {
        apply(NAME, "{size: 1, version: 3.2.13}"); // which knows no learners: the second of two is needed at once
        scene.awaitMembers(1);
        scene.apply("""
                apiVersion: v1
                kind: ResourceQuota
                metadata: {name: few}
                spec: {hard: {pods: "1"}}
                """);
        cluster.await(
                "the quota is counted",
                () -> client.resourceQuotas()
                        .inNamespace("default")
                        .withName("few")
                        .get()
                        .getStatus()
                        .getUsed()
                        .containsKey("pods"));
        scene.resize(3);
        awaitHindered("Refused", "exceeded quota: few");
        assertThat(scene.message("Hindered")).contains("(a new member)");
        scene.letItLook();
        assertThat(scene.etcd().journal()).isEmpty();
        assertThat(scene.condition("Available")).isEqualTo("True MajorityAnswers");
        assertThat(scene.events()).filteredOn("Refused"::equals).hasSize(1);
        client.resourceQuotas().inNamespace("default").withName("few").delete();
        scene.awaitMembers(3);
        assertThat(scene.condition("Hindered")).isEmpty();
    }

    @Test
    void aPodThatTheApiServerRefusesIsSaid() {
        apply(NAME, "{size: 1, version: 3.4.23, pod: {nodeSelector: {\"a b\": c}}}");
        awaitHindered("Refused", "spec.nodeSelector");
        assertThat(scene.volumes()).isEmpty();
        patch("{\"spec\":{\"pod\":null}}");
        scene.awaitMembers(1);
    }

    @Test
    void whatIsSomebodyElsesIsNotTouched() {
        for (String taken : List.of(NAME, NAME + "-client")) {
            scene.apply("""
                    apiVersion: v1
                    kind: Service
                    metadata: {name: %s}
                    spec: {selector: {app: shop}, ports: [{port: 80}]}
                    """.formatted(taken));
            Service foreign = service(taken);
            apply(NAME, "{size: 1, version: 3.4.23}");
            awaitHindered("NameTaken", "Service " + taken + " ");
            scene.letItLook();
            assertThat(service(taken)).isEqualTo(foreign);
            assertThat(scene.pods()).isEmpty();
            client.services().inNamespace("default").withName(taken).delete();
            scene.awaitMembers(1);
            assertThat(scene.condition("Hindered")).isEmpty();
            scene.deleteCluster();
        }
    }

    private Service service(String name) {
        return client.services().inNamespace("default").withName(name).get();
    }

    @Test
    void twoClustersDoNotFightForOneName() {
        apply(NAME + "-client", "{size: 1, version: 3.4.23}");
        scene.await("the first is run", () -> isAvailable(NAME + "-client"));
        String version = service(NAME + "-client").getMetadata().getResourceVersion();
        apply(NAME, "{size: 1, version: 3.4.23}");
        awaitHindered("NameTaken", "Service " + NAME + "-client ");
        scene.letItLook();
        assertThat(service(NAME + "-client").getMetadata().getResourceVersion()).isEqualTo(version);
    }

    @Test
    void aServiceThatSomebodyChangedIsSetRight() {
        apply(NAME, "{size: 1, version: 3.4.23}");
        scene.awaitMembers(1);
        client.services().inNamespace("default").withName(NAME + "-client").edit(service -> {
            service.getSpec().getSelector().put("app", "shop");
            service.getMetadata().getAnnotations().put("note", "mine");
            return service;
        });
        scene.await(
                "it selects members again",
                () -> "etcd"
                        .equals(service(NAME + "-client")
                                .getSpec()
                                .getSelector()
                                .get("app")));
        assertThat(service(NAME + "-client").getMetadata().getAnnotations()).containsEntry("note", "mine");
    }

    @Test
    void anUpgradeToWhatIsNotThereStopsAtTheFirstAndGoesBack() {
        cluster.image("quay.io/coreos/etcd:v3.4.99").missing();
        apply(NAME, "{size: 3, version: 3.4.22}");
        scene.awaitMembers(3);
        List<String> members = scene.members();
        List<String> volumes = scene.uids(scene.volumes());
        scene.version("3.4.99");
        awaitHindered("ImageUnavailable", "ErrImagePull");
        assertThat(scene.condition("Upgrading")).isEqualTo("True MembersOutdated");
        scene.await(
                "the way back is told", () -> scene.message("Upgrading").contains("set spec.version back to 3.4.22"));
        scene.watch(Duration.ofMinutes(6));
        assertThat(scene.uids(scene.volumes())).isEqualTo(volumes);
        assertThat(scene.members()).hasSize(2);
        assertThat(scene.status().currentVersion()).isEqualTo("3.4.22");
        assertThatThrownBy(() -> scene.version("3.4.21")).hasMessageContaining("etcd cannot be downgraded");
        scene.version("3.4.22");
        scene.awaitMembers(3);
        assertThat(scene.members()).isEqualTo(members);
        assertThat(scene.uids(scene.volumes())).isEqualTo(volumes);
    }

    @Test
    void aSingleMemberGoesBackToo() {
        cluster.image("quay.io/coreos/etcd:v3.4.99").missing();
        apply(NAME, "{size: 1, version: 3.4.22}");
        scene.awaitMembers(1);
        List<String> members = scene.members();
        scene.version("3.4.99");
        awaitHindered("ImageUnavailable", "ErrImagePull");
        scene.version("3.4.22");
        scene.awaitMembers(1);
        assertThat(scene.members()).isEqualTo(members);
    }

    @Test
    void aClusterThatNeverBeganMayBeAskedForOtherwise() {
        cluster.image("quay.io/coreos/etcd:v3.4.99").missing();
        apply(NAME, "{size: 1, version: 3.4.99}");
        awaitHindered("ImageUnavailable", "ErrImagePull");
        scene.version("3.4.23");
        scene.awaitMembers(1);
        scene.deleteCluster();

        apply(NAME, "{size: 1, version: 3.4.23, pod: {nodeSelector: {disk: fast}}}");
        awaitHindered("PodNotStarting", "node affinity/selector");
        patch("{\"spec\":{\"pod\":null}}");
        scene.awaitMembers(1);
    }

    @Test
    void whoSaysToBeAnotherVersionThanItsImageIsNamed() {
        apply(NAME, "{size: 1, version: 3.4.23}");
        scene.awaitMembers(1);
        String member = scene.members().getFirst();
        scene.etcd().claim(member, "3.4.30");
        scene.await("it is said", () -> scene.condition("Upgrading").equals("False VersionMismatch"));
        assertThat(scene.message("Upgrading")).contains(member, "v3.4.23", "etcd 3.4.30");
        scene.await("an event tells it", () -> scene.events().contains("VersionMismatch"));
    }

    @Test
    void podsThatFailAgainAndAgainAreMadeMoreAndMoreSlowly() {
        apply(NAME, "{size: 3, version: 3.4.23}");
        scene.awaitMembers(3);
        String failing = scene.members().stream()
                .filter(name -> !name.equals(scene.status().leader()))
                .findFirst()
                .orElseThrow();
        scene.etcd().silence(failing);
        scene.failPods(failing);
        scene.watch(Duration.ofMinutes(4));
        assertThat(scene.events().stream().filter("MemberPodFailed"::equals).count())
                .isBetween(2L, 20L);
    }

    @Test
    void aLostMajorityIsSaidBeforeWhatKeepsPodsFromStarting() {
        apply(NAME, "{size: 3, version: 3.4.23}");
        scene.awaitMembers(3);
        List<String> members = scene.members();
        patch("{\"spec\":{\"pod\":{\"nodeSelector\":{\"disk\":\"fast\"}}}}");
        scene.deletePods(members.subList(1, 3));
        scene.await(
                "both are said",
                () -> scene.condition("Available").equals("False QuorumLost")
                        && scene.condition("Hindered").equals("True PodNotStarting"));
        assertThat(scene.status().reason()).contains("Nothing is deleted");
        patch("{\"spec\":{\"pod\":null}}");
        scene.awaitMembers(3);
        assertThat(scene.members()).isEqualTo(members);
    }
}
