package io.argosy.node.agent;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.argosy.node.agent.eviction.Threshold;
import io.argosy.node.agent.log.LogOptions;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** A node whose disk is never empty enough. */
class DiskPressureTest extends AgentFixture {
    @Override
    NodeConfig config(NodeConfig usual) {
        return usual.with(usual.settings().withEviction(Threshold.parse("nodefs.available<100%", "", "", "")));
    }

    @Test
    void whatAnEndedPodLeftGoesAndItsStatusStays() throws Exception {
        runtime.exitsAtOnce("web", 3);
        Pod pod = create(pod("done").editSpec().withRestartPolicy("Never").endSpec());
        eventually("failed", () -> phase("done").equals("Failed"));
        Path logs = Files.createDirectories(
                home.resolve("logs/pods/default_done_" + pod.getMetadata().getUid()));
        assertThat(runtime.sandboxes()).hasSize(1);

        turnUntil("nothing is left of it", () -> runtime.sandboxes().isEmpty() && Files.notExists(logs));

        assertThat(find("done").orElseThrow().getStatus().getReason()).isNull();
        assertThat(status("done", "web").getState().getTerminated().getExitCode())
                .isEqualTo(3);
        String lost =
                "unable to retrieve container logs for " + status("done", "web").getContainerID();
        assertThatThrownBy(() -> log("done")).hasMessage(lost);
        stopAgent();
        startAgent();
        eventually("known again", () -> thrownBy(() -> log("done")).equals(lost));
    }

    private void log(String pod) throws IOException {
        agent.streams().logs("default", pod, "web", LogOptions.ALL, OutputStream.nullOutputStream());
    }

    private static String thrownBy(ThrowingCallable call) {
        return String.valueOf(catchThrowable(call).getMessage());
    }

    @Test
    void aPodThatWasRefusedHasNoLog() {
        turnUntil(
                "the node suffers",
                () -> client.resources(Node.class).get("", NODE).getStatus().getConditions().stream()
                        .anyMatch(c -> c.getType().equals("DiskPressure")
                                && c.getStatus().equals("True")));
        create(pod("refused"));
        eventually("refused", () -> phase("refused").equals("Failed"));

        assertThatThrownBy(() -> log("refused")).hasMessage("container \"web\" in pod \"refused\" is not available");
    }
}
