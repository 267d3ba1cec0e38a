package io.argosy.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.client.Resources.DeleteOptions;
import io.argosy.controllers.pod.Pods;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeSpecBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes that fall silent, come back, and go for good. */
@Timeout(120)
class NodeLifecycleScenarioTest {
    private static final String UNREACHABLE = "node.kubernetes.io/unreachable";
    private final FakeCluster cluster = new FakeCluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void aNodeThatFallsSilentIsTaintedAndItsPodsGoWhenTheirPatienceIsOver() {
        cluster.create(pod("patient", 300L));
        cluster.create(pod("faithful", null));
        awaitRunning(2);
        loseNode("n1");

        assertThat(ready("n1").getReason()).isEqualTo("NodeStatusUnknown");
        assertThat(taints("n1")).containsExactlyInAnyOrder(UNREACHABLE + ":NoSchedule", UNREACHABLE + ":NoExecute");
        assertThat(taints("n2")).isEmpty();
        assertThat(cluster.pods()).hasSize(2).noneMatch(Pods::isReady).noneMatch(Pods::isDeleting);
        assertThat(cluster.told())
                .contains("Normal Node/n1 NodeNotReady: Node n1 status is now: NodeNotReady")
                .contains("Warning Pod/patient NodeNotReady: Node is not ready");

        turn(Duration.ofSeconds(280));
        assertThat(cluster.pods()).noneMatch(Pods::isDeleting);
        turn(Duration.ofSeconds(30));
        cluster.eventually("the patient one goes", () -> Pods.isDeleting(pod("patient")));
        assertThat(Pods.isDeleting(pod("faithful"))).isFalse();
        assertThat(Pods.condition(pod("patient"), "DisruptionTarget")
                        .orElseThrow()
                        .getReason())
                .isEqualTo("DeletionByTaintManager");
        assertThat(cluster.told())
                .contains("Normal Pod/patient TaintManagerEviction: Marking for deletion Pod default/patient");
    }

    @Test
    void aNodeThatComesBackInTimeKeepsItsPods() {
        cluster.create(pod("patient", 300L));
        awaitRunning(1);
        loseNode("n1");
        cluster.silent.clear();
        cluster.nodeReady("n1");
        cluster.eventually("taints gone", () -> taints("n1").isEmpty());
        cluster.settle();
        assertThat(cluster.told())
                .contains("Normal Pod/patient TaintManagerEviction: Cancelling deletion of Pod default/patient");
        turn(Duration.ofSeconds(400));
        assertThat(cluster.pods()).hasSize(1).noneMatch(Pods::isDeleting);
        assertThat(ready("n1").getStatus()).isEqualTo("True");
    }

    @Test
    void nobodyIsDrivenOutWhenEveryNodeIsSilent() {
        cluster.create(pod("patient", 300L));
        awaitRunning(1);
        cluster.silent.addAll(List.of("n1", "n2"));
        awaitUnknown("n1");
        awaitUnknown("n2");
        cluster.settle();
        turn(Duration.ofSeconds(600));
        assertThat(taints("n1")).containsExactly(UNREACHABLE + ":NoSchedule");
        assertThat(taints("n2")).containsExactly(UNREACHABLE + ":NoSchedule");
        assertThat(cluster.pods()).noneMatch(Pods::isDeleting);
    }

    @Test
    void aPodThatDoesNotTolerateATaintGoesAtOnce() {
        cluster.create(pod("patient", 300L));
        awaitRunning(1);
        Node node = cluster.resources(Node.class).get("", "n1");
        node.setSpec(new NodeSpecBuilder()
                .addNewTaint()
                .withKey("maintenance")
                .withEffect("NoExecute")
                .endTaint()
                .build());
        cluster.resources(Node.class).update(node);
        cluster.eventually("gone", () -> cluster.pods().isEmpty());
    }

    /** kubectl does not say when it put a taint there. */
    @Test
    void aPodStaysAsLongAsItToleratesATaintThatSomebodyMade() {
        Pod patient = pod("patient", 300L);
        patient.getSpec()
                .getTolerations()
                .add(new TolerationBuilder()
                        .withKey("maintenance")
                        .withOperator("Exists")
                        .withTolerationSeconds(60L)
                        .build());
        cluster.create(patient);
        awaitRunning(1);
        Node node = cluster.resources(Node.class).get("", "n1");
        node.setSpec(new NodeSpecBuilder()
                .addNewTaint()
                .withKey("maintenance")
                .withEffect("NoExecute")
                .endTaint()
                .build());
        cluster.resources(Node.class).update(node);
        cluster.advance(Duration.ofSeconds(50));
        cluster.settle();
        assertThat(cluster.pods()).hasSize(1);
        cluster.advance(Duration.ofSeconds(12));
        cluster.eventually("gone", () -> cluster.pods().isEmpty());
    }

    @Test
    void aNodeThatIsGoneTakesItsLeaseWithIt() {
        cluster.settle();
        assertThat(cluster.told())
                .contains("Normal Node/n2 RegisteredNode: Node n2 event: Registered Node n2 in Controller");
        cluster.resources(Node.class).delete("", "n2", DeleteOptions.DEFAULT);
        cluster.eventually(
                "lease gone",
                () -> cluster.resources(Lease.class)
                        .find("kube-node-lease", "n2")
                        .isEmpty());
        assertThat(cluster.told())
                .contains("Normal Node/n2 RemovingNode: Node n2 event: Removing Node n2 from Controller");
    }

    private void awaitRunning(int count) {
        cluster.eventually(
                "pods running",
                () -> cluster.pods().stream().filter(Pods::isReady).count() == count);
        cluster.settle();
    }

    private void loseNode(String name) {
        cluster.silent.add(name);
        awaitUnknown(name);
        cluster.settle();
    }

    private void awaitUnknown(String name) {
        cluster.eventually("silence of " + name + " noticed", () -> {
            cluster.advance(Duration.ofSeconds(1));
            cluster.settle();
            return ready(name).getStatus().equals("Unknown");
        });
    }

    /** In small steps, so that everybody has had their say about each. */
    private void turn(Duration time) {
        for (long i = 0; i < time.toSeconds(); i += 10) {
            cluster.advance(Duration.ofSeconds(Math.min(10, time.toSeconds() - i)));
            cluster.settle();
        }
    }

    private NodeCondition ready(String node) {
        return cluster.resources(Node.class).get("", node).getStatus().getConditions().stream()
                .filter(condition -> condition.getType().equals("Ready"))
                .findFirst()
                .orElseThrow();
    }

    private List<String> taints(String node) {
        Node found = cluster.resources(Node.class).get("", node);
        List<Taint> taints =
                found.getSpec() == null ? List.of() : found.getSpec().getTaints();
        return taints.stream()
                .map(taint -> taint.getKey() + ":" + taint.getEffect())
                .toList();
    }

    private Pod pod(String name) {
        return cluster.resources(Pod.class).get("default", name);
    }

    private static Pod pod(String name, Long patience) {
        return new PodBuilder(Manifests.pod(name, Map.of("app", name)))
                .editSpec()
                .withNodeName("n1")
                .addNewToleration()
                .withKey(UNREACHABLE)
                .withOperator("Exists")
                .withEffect("NoExecute")
                .withTolerationSeconds(patience)
                .endToleration()
                .endSpec()
                .build();
    }
}
