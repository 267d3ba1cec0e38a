package io.argosy.node.agent;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.client.Resources;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The agent and its node: which pods are its own, what it finds when it comes back, what it says of itself. */
class NodeAgentTest extends AgentFixture {
    @Test
    void aPodOfAnotherNodeIsLeftAlone() {
        create(pod("b").editSpec().withNodeName("elsewhere").endSpec());
        create(pod("a"));

        eventually("ready", () -> ready("a"));

        assertThat(runtime.sandboxes()).hasSize(1);
    }

    @Test
    void anAgentThatComesBackTakesRunningPodsOverWithoutTouchingThem() throws Exception {
        create(pod("a"));
        create(pod("b"));
        create(pod("c"));
        eventually("ready", () -> ready("a") && ready("b") && ready("c"));
        List<String> before = List.copyOf(runtime.calls());
        String id = status("a", "web").getContainerID();

        stopAgent();
        client.resources(Pod.class).delete("default", "b", new Resources.DeleteOptions(0L, null, null, null));
        String exited = status("c", "web").getContainerID();
        runtime.stopContainer(exited.substring("fake://".length()), Duration.ZERO);
        startAgent();

        eventually("the exit is noticed", () -> ready("c") && status("c", "web").getRestartCount() == 1);
        eventually("the orphan is removed", () -> runtime.sandboxes().size() == 2);
        assertThat(status("a", "web").getContainerID()).isEqualTo(id);
        assertThat(runtime.started()).hasSize(4);
        assertThat(before).doesNotContain("remove sandbox");
    }

    @Test
    void puttingTheNodeToSleepStopsPodsAndKeepsTheirObjects() throws Exception {
        create(pod("a"));
        eventually("ready", () -> ready("a"));

        agent.stopAllPods(Duration.ofSeconds(3));

        assertThat(runtime.sandboxes()).isEmpty();
        assertThat(runtime.calls()).contains("stop web 3");
        assertThat(find("a")).isPresent();
        stopAgent();
        startAgent();
        eventually("runs again", () -> runtime.running() == 1);
        eventually("counted", () -> status("a", "web").getRestartCount() == 1 && ready("a"));
    }

    @Test
    void theNodeIsRegisteredReadyAndKeepsSayingSo() {
        eventually(
                "ready",
                () -> client.resources(Node.class)
                        .find("", NODE)
                        .filter(n -> n.getStatus() != null
                                && n.getStatus().getConditions().stream()
                                        .anyMatch(c -> c.getType().equals("Ready")
                                                && c.getStatus().equals("True")))
                        .isPresent());
        Node node = client.resources(Node.class).get("", NODE);
        assertThat(node.getMetadata().getLabels()).containsEntry("kubernetes.io/hostname", NODE);
        assertThat(node.getStatus().getCapacity()).containsKeys("cpu", "memory", "pods", "ephemeral-storage");
        assertThat(node.getStatus().getNodeInfo().getContainerRuntimeVersion()).isEqualTo("fake://1.0");
        eventually("lease", () -> lease().isPresent());
        var first = lease().orElseThrow().getSpec().getRenewTime();
        turnUntil(
                "renewed", () -> lease().orElseThrow().getSpec().getRenewTime().isAfter(first));
    }

    @Test
    void theLeaseGoesWithTheNode() {
        eventually("lease", () -> lease().isPresent());
        var owner = lease().orElseThrow().getMetadata().getOwnerReferences().getFirst();
        assertThat(owner.getKind()).isEqualTo("Node");
        assertThat(owner.getUid())
                .isEqualTo(
                        client.resources(Node.class).get("", NODE).getMetadata().getUid());
    }

    @Test
    void whatChangesAboutTheNodeIsTold() throws Exception {
        eventually("lease", () -> lease().isPresent());
        assertThat(events.lines())
                .containsExactly(
                        "Starting: Starting kubelet.",
                        "NodeHasSufficientMemory: Node " + NODE + " status is now: NodeHasSufficientMemory",
                        "NodeHasNoDiskPressure: Node " + NODE + " status is now: NodeHasNoDiskPressure",
                        "NodeHasSufficientPID: Node " + NODE + " status is now: NodeHasSufficientPID",
                        "NodeReady: Node " + NODE + " status is now: NodeReady");
        events.lines().clear();
        Node node = client.resources(Node.class).get("", NODE);
        node.getSpec().setUnschedulable(true);
        client.resources(Node.class).update(node);
        turnUntil("seen", () -> !events.lines().isEmpty());
        assertThat(events.lines())
                .containsExactly("NodeNotSchedulable: Node " + NODE + " status is now: NodeNotSchedulable");
        stopAgent();
        events.lines().clear();
        node = client.resources(Node.class).get("", NODE);
        node.getStatus().getNodeInfo().setBootID("another");
        client.resources(Node.class).updateStatus(node);

        startAgent();

        eventually("told", () -> events.lines().size() == 2);
        assertThat(events.lines().getFirst()).isEqualTo("Starting: Starting kubelet.");
        assertThat(events.lines().getLast()).startsWith("Rebooted: Node " + NODE + " has been rebooted, boot id: ");
    }

    private Optional<Lease> lease() {
        return client.resources(Lease.class).find("kube-node-lease", NODE);
    }
}
