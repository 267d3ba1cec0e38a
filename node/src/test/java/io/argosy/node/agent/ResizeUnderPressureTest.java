package io.argosy.node.agent;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.node.agent.eviction.Threshold;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import org.junit.jupiter.api.Test;

/** On a node whose disk is called full, nobody is given more, as nobody new is taken in. */
class ResizeUnderPressureTest extends AgentFixture {
    @Override
    NodeConfig config(NodeConfig usual) {
        return usual.with(usual.settings()
                .withEviction(Threshold.parse("", "nodefs.available<100%", "nodefs.available=999h", "")));
    }

    private boolean suffers() {
        return client.resources(Node.class).find("", NODE).filter(n -> n.getStatus() != null).stream()
                .flatMap(n -> n.getStatus().getConditions().stream())
                .anyMatch(
                        c -> c.getType().equals("DiskPressure") && c.getStatus().equals("True"));
    }

    @Test
    void aResizeIsPutOffAndItIsSaidWhy() {
        create(pod("a"));
        eventually("it runs", () -> ready("a"));
        turnUntil("the node suffers", this::suffers);

        Pod changed = find("a").orElseThrow();
        changed.getSpec()
                .getContainers()
                .getFirst()
                .setResources(new ResourceRequirementsBuilder()
                        .addToRequests("cpu", new Quantity("10m"))
                        .build());
        client.resources(Pod.class).update(changed);

        eventually("it is put off", () -> condition("a", "PodResizePending").isPresent());
        PodCondition pending = condition("a", "PodResizePending").orElseThrow();
        assertThat(pending.getReason()).isEqualTo("Deferred");
        assertThat(pending.getMessage()).isEqualTo("The node had condition: [DiskPressure]. ");
        assertThat(events.lines()).anyMatch(line -> line.startsWith("ResizeDeferred: Pod resize Deferred: "));
    }
}
