package io.argosy.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.status.ApiException;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.client.model.Models;
import io.argosy.controllers.pod.Pods;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.api.model.apps.ControllerRevisionBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSetStatus;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Daemon sets cover the nodes they should, each once. */
@Timeout(120)
class DaemonSetScenarioTest {
    private final FakeCluster cluster = new FakeCluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void everyNodeGetsOnePodAlsoOneThatComesLater() {
        cluster.create(set());
        awaitReady(2);
        assertThat(nodes()).containsExactly("n1", "n2");
        cluster.create(node("n3", Map.of()));
        awaitReady(3);
        assertThat(nodes()).containsExactly("n1", "n2", "n3");
        assertThat(cluster.pods().getFirst().getSpec().getTolerations())
                .anySatisfy(toleration -> assertThat(toleration.getKey()).isEqualTo("node.kubernetes.io/unreachable"));
    }

    @Test
    void taintedNodesAreLeftOutUnlessTolerated() {
        Node master = node("master", Map.of());
        master.setSpec(new io.fabric8.kubernetes.api.model.NodeSpecBuilder()
                .addNewTaint("NoSchedule", "node-role.kubernetes.io/master", null, null)
                .build());
        cluster.create(master);
        cluster.create(set());
        awaitReady(2);
        cluster.settle();
        assertThat(nodes()).containsExactly("n1", "n2");
        change(builder -> builder.editSpec()
                .editTemplate()
                .editSpec()
                .addNewToleration("NoSchedule", "node-role.kubernetes.io/master", "Exists", null, null)
                .endSpec()
                .endTemplate()
                .endSpec());
        awaitReady(3);
        assertThat(nodes()).containsExactly("master", "n1", "n2");
    }

    @Test
    void aNodeThatLosesItsLabelLosesItsPod() {
        cluster.create(new DaemonSetBuilder(set())
                .editSpec()
                .editTemplate()
                .editSpec()
                .addToNodeSelector("disk", "ssd")
                .endSpec()
                .endTemplate()
                .endSpec()
                .build());
        cluster.settle();
        assertThat(cluster.pods()).isEmpty();
        cluster.create(node("fast", Map.of("disk", "ssd")));
        awaitReady(1);
        cluster.settle(); // others write to a new node too
        Node fast = cluster.resources(Node.class).get("", "fast");
        fast.getMetadata().setLabels(Map.of("disk", "hdd"));
        cluster.resources(Node.class).update(fast);
        cluster.eventually("left", () -> cluster.pods().isEmpty());
    }

    @Test
    void anUpdateReplacesOneAfterTheOtherAndUndoMakesRevisionThree() {
        cluster.create(set());
        awaitReady(2);
        cluster.fewestAvailable.set(Integer.MAX_VALUE);
        change(builder -> builder.editSpec().withTemplate(template("fluentd:2")).endSpec());
        awaitImage("fluentd:2");
        assertThat(cluster.fewestAvailable.get()).isGreaterThanOrEqualTo(1);
        change(builder -> builder.editSpec().withTemplate(template("fluentd:1")).endSpec());
        awaitImage("fluentd:1");
        cluster.settle();
        for (ControllerRevision revision :
                cluster.resources(ControllerRevision.class).list("default", Map.of())) {
            assertThat(Models.<JsonNode>toTree(revision.getData()).toString())
                    .as("in the order of its keys, as others compare it")
                    .startsWith("{\"spec\":{\"template\":{\"$patch\":\"replace\",\"metadata\":{");
        }
        assertThat(cluster.resources(ControllerRevision.class).list("default", Map.of()))
                .extracting(ControllerRevision::getRevision)
                .containsExactlyInAnyOrder(2L, 3L);
        assertThat(status().getUpdatedNumberScheduled()).isEqualTo(2);
    }

    @Test
    void aPodThatKeepsFailingIsReplacedEverMoreSlowly() {
        cluster.outcome = pod -> "Failed";
        cluster.create(set());
        cluster.eventually("told", () -> cluster.events.stream().anyMatch(event -> event.contains("FailedDaemonPod")));
        cluster.settle();
        int created = created();
        assertThat(created).isLessThanOrEqualTo(6);
        cluster.advance(java.time.Duration.ofSeconds(10));
        cluster.settle();
        assertThat(created()).isGreaterThan(created);
    }

    @Test
    void theLossOfANodeDoesNotMoveItsPodElsewhere() {
        cluster.create(set());
        awaitReady(2);
        cluster.resources(Node.class).delete("", "n2", DeleteOptions.DEFAULT);
        cluster.eventually("gone with the node", () -> cluster.pods().size() == 1);
        cluster.settle();
        assertThat(nodes()).containsExactly("n1");
    }

    @Test
    void aPodThatKeepsFailingDoesNotHoldUpTheUpdateThatRepairsIt() {
        cluster.create(set());
        awaitReady(2);
        cluster.settle(); // or the node is still to hear of its own report, and ends the pod before the test does
        cluster.outcome = pod -> Pods.nodeName(pod).equals("n2") && image(pod).equals("fluentd:1") ? "Failed" : null;
        cluster.resources(Pod.class)
                .updateStatus(cluster.finished(
                        cluster.livingPods().stream()
                                .filter(pod -> Pods.nodeName(pod).equals("n2"))
                                .findFirst()
                                .orElseThrow(),
                        "Failed"));
        cluster.settle();
        assertThat(cluster.pods()).as("one has failed, and waits").hasSize(2);
        assertThat(cluster.livingPods()).hasSize(1);
        change(builder -> builder.editSpec().withTemplate(template("fluentd:2")).endSpec());
        awaitImage("fluentd:2");
    }

    @Test
    void aSetThatComesBackAfterOrphaningKeepsItsPodsAndItsHistory() {
        cluster.create(set());
        awaitReady(2);
        cluster.settle(); // the collector knows all pods that it is to set free
        List<String> pods = uids();
        cluster.resources(DaemonSet.class).delete("default", "fluentd", new DeleteOptions(null, "Orphan", null, null));
        cluster.eventually(
                "set gone",
                () -> cluster.resources(DaemonSet.class)
                        .find("default", "fluentd")
                        .isEmpty());
        cluster.create(set());
        awaitReady(2);
        cluster.settle();
        assertThat(uids()).isEqualTo(pods);
        assertThat(cluster.resources(ControllerRevision.class).list("default", Map.of()))
                .singleElement()
                .satisfies(revision -> assertThat(revision.getMetadata()
                                .getOwnerReferences()
                                .getFirst()
                                .getUid())
                        .isEqualTo(cluster.resources(DaemonSet.class)
                                .get("default", "fluentd")
                                .getMetadata()
                                .getUid()));
    }

    @Test
    void aRevisionWhoseNameIsTakenByAnotherTemplateGetsAnotherName() {
        cluster.create(set());
        awaitReady(2);
        ControllerRevision taken = new ControllerRevisionBuilder(cluster.resources(ControllerRevision.class)
                        .list("default", Map.of())
                        .getFirst())
                .editMetadata()
                .withLabels(Map.of())
                .withOwnerReferences()
                .withUid(null)
                .withResourceVersion(null)
                .endMetadata()
                .withData(Map.of("spec", Map.of()))
                .build();
        cluster.resources(DaemonSet.class).delete("default", "fluentd", DeleteOptions.background());
        cluster.eventually(
                "gone",
                () -> cluster.pods().isEmpty()
                        && cluster.resources(ControllerRevision.class)
                                .list("default", Map.of())
                                .isEmpty());
        cluster.create(taken);
        cluster.create(set());
        awaitReady(2);
        assertThat(status().getCollisionCount()).isEqualTo(1);
    }

    @Test
    void anOrphanOnANodeIsTakenIn() {
        cluster.create(set());
        awaitReady(2);
        Pod stranger = Manifests.pod("stranger", Map.of("app", "fluentd"));
        stranger.getSpec().setNodeName("n1");
        cluster.create(stranger);
        cluster.eventually(
                "one of the two on the node has gone", () -> cluster.pods().size() == 2);
        cluster.settle();
        assertThat(nodes()).containsExactly("n1", "n2");
    }

    @Test
    void withSurgeTheNewPodServesBeforeTheOldOneGoes() {
        cluster.create(new DaemonSetBuilder(set())
                .editSpec()
                .withNewUpdateStrategy()
                .withType("RollingUpdate")
                .withNewRollingUpdate()
                .withMaxSurge(new IntOrString(1))
                .withMaxUnavailable(new IntOrString(0))
                .endRollingUpdate()
                .endUpdateStrategy()
                .endSpec()
                .build());
        awaitReady(2);
        cluster.fewestAvailable.set(Integer.MAX_VALUE);
        cluster.mostPods.set(0);
        change(builder -> builder.editSpec().withTemplate(template("fluentd:2")).endSpec());
        awaitImage("fluentd:2");
        assertThat(cluster.fewestAvailable.get()).isEqualTo(2);
        assertThat(cluster.mostPods.get()).isEqualTo(3);
    }

    @Test
    void onDeleteANewTemplateComesWhereAPodIsDeleted() {
        cluster.create(new DaemonSetBuilder(set())
                .editSpec()
                .withNewUpdateStrategy()
                .withType("OnDelete")
                .endUpdateStrategy()
                .endSpec()
                .build());
        awaitReady(2);
        change(builder -> builder.editSpec().withTemplate(template("fluentd:2")).endSpec());
        cluster.settle();
        assertThat(cluster.livingPods())
                .extracting(DaemonSetScenarioTest::image)
                .containsOnly("fluentd:1");
        cluster.resources(Pod.class)
                .delete("default", cluster.pods().getFirst().getMetadata().getName(), DeleteOptions.DEFAULT);
        cluster.eventually(
                "one is new",
                () -> cluster.livingPods().size() == 2
                        && Integer.valueOf(1).equals(status().getUpdatedNumberScheduled()));
        assertThat(cluster.livingPods())
                .extracting(DaemonSetScenarioTest::image)
                .containsExactlyInAnyOrder("fluentd:1", "fluentd:2");
    }

    private static String image(Pod pod) {
        return pod.getSpec().getContainers().getFirst().getImage();
    }

    private List<String> uids() {
        return cluster.pods().stream().map(pod -> pod.getMetadata().getUid()).toList();
    }

    private int created() {
        return (int) cluster.events.stream()
                .filter(event -> event.contains("SuccessfulCreate"))
                .count();
    }

    private static DaemonSet set() {
        return new DaemonSetBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("fluentd")
                .endMetadata()
                .withNewSpec()
                .withNewSelector()
                .addToMatchLabels("app", "fluentd")
                .endSelector()
                .withTemplate(template("fluentd:1"))
                .endSpec()
                .build();
    }

    private static PodTemplateSpec template(String image) {
        return Manifests.template("fluentd", image);
    }

    private static Node node(String name, Map<String, String> labels) {
        return new NodeBuilder()
                .withNewMetadata()
                .withName(name)
                .withLabels(labels)
                .endMetadata()
                .build();
    }

    private void change(UnaryOperator<DaemonSetBuilder> change) {
        cluster.eventually("change accepted", () -> {
            try {
                DaemonSet fresh = cluster.resources(DaemonSet.class).get("default", "fluentd");
                cluster.resources(DaemonSet.class)
                        .update(change.apply(new DaemonSetBuilder(fresh)).build());
                return true;
            } catch (ApiException conflict) {
                return false;
            }
        });
    }

    private void awaitReady(int count) {
        cluster.eventually(
                count + " ready",
                () -> Integer.valueOf(count).equals(status().getNumberReady())
                        && Integer.valueOf(count).equals(status().getDesiredNumberScheduled())
                        && cluster.livingPods().size() == count);
    }

    private void awaitImage(String image) {
        cluster.eventually(
                image,
                () -> cluster.livingPods().size() == 2
                        && cluster.livingPods().stream()
                                .allMatch(pod -> pod.getSpec()
                                        .getContainers()
                                        .getFirst()
                                        .getImage()
                                        .equals(image))
                        && Integer.valueOf(2).equals(status().getNumberAvailable()));
    }

    private DaemonSetStatus status() {
        DaemonSetStatus status =
                cluster.resources(DaemonSet.class).get("default", "fluentd").getStatus();
        return status == null ? new DaemonSetStatus() : status;
    }

    private List<String> nodes() {
        cluster.settle(); // a pod that is being replaced has no node for a moment
        return cluster.livingPods().stream()
                .map((Pod pod) -> pod.getSpec().getNodeName())
                .sorted()
                .toList();
    }
}
