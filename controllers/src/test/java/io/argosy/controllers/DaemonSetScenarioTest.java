package io.argosy.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.status.ApiException;
import io.argosy.client.Resources.DeleteOptions;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
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
        cluster.clock.advance(java.time.Duration.ofSeconds(3));
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
