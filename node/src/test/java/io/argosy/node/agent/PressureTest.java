package io.argosy.node.agent;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.node.agent.eviction.Threshold;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A node that never has enough memory, since no machine has all of it free, but has patience with the pods that are there. */
class PressureTest extends AgentFixture {
    @Override
    NodeConfig config(NodeConfig usual) {
        return usual.with(usual.settings()
                .withEviction(Threshold.parse("", "memory.available<100%", "memory.available=999h", "")));
    }

    private Optional<String> pressure() {
        return client.resources(Node.class).find("", NODE).filter(n -> n.getStatus() != null).stream()
                .flatMap(n -> n.getStatus().getConditions().stream())
                .filter(c -> c.getType().equals("MemoryPressure"))
                .map(c -> c.getStatus() + " " + c.getReason())
                .findFirst();
    }

    @Test
    void theNodeSaysSoAndTakesInNoPodWithoutAClaimToMemory() {
        create(claiming("before"));
        turnUntil(
                "the pod runs, and the node suffers",
                () -> ready("before") && pressure().equals(Optional.of("True KubeletHasInsufficientMemory")));

        create(pod("claimless"));
        create(claiming("claiming"));

        eventually(
                "the one runs, the other is refused",
                () -> ready("claiming") && phase("claimless").equals("Failed"));
        var status = find("claimless").orElseThrow().getStatus();
        assertThat(status.getReason()).isEqualTo("Evicted");
        assertThat(status.getMessage()).isEqualTo("Pod was rejected: The node had condition: [MemoryPressure]. ");
        assertThat(events.lines()).contains("Evicted: The node had condition: [MemoryPressure]. ");
        assertThat(runtime.started()).hasSize(2);
        assertThat(ready("before")).isTrue();
    }

    private PodBuilder claiming(String name) {
        return pod(name)
                .editSpec()
                .editContainer(0)
                .withNewResources()
                .addToRequests("memory", new Quantity("1Mi"))
                .endResources()
                .endContainer()
                .endSpec();
    }
}
