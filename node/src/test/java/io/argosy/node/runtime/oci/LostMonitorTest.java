package io.argosy.node.runtime.oci;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.node.runtime.ContainerStatus;
import io.argosy.node.runtime.ContainerStatus.State;
import io.argosy.node.runtime.Sandbox;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A container whose monitor was killed, so that nobody writes down its end. */
class LostMonitorTest {
    @Test
    void itsEndIsSeenByWhoLooks() throws Exception {
        try (BusyboxHost host = new BusyboxHost("lost", 20)) {
            Sandbox sandbox = host.runtime.runSandbox(host.pod("lost").build());
            String id = host.run(sandbox, host.shell("sleep 1000").build());
            long process = host.runtime.container(id).orElseThrow().pid().orElseThrow();
            for (long monitor :
                    Procs.runningFor(id, List.of(host.config.conmon().toString()))) {
                Linux.kill(monitor, Linux.SIGKILL);
            }
            assertThat(host.runtime.container(id).orElseThrow().state()).isEqualTo(State.RUNNING);

            Linux.kill(process, Linux.SIGKILL);

            eventually("ended", () -> host.runtime.container(id).orElseThrow().state() == State.EXITED);
            ContainerStatus ended = host.runtime.container(id).orElseThrow();
            assertThat(ended.reason()).isEqualTo("ContainerStatusUnknown");
            assertThat(ended.exitCode()).hasValue(137);
            host.runtime.removeSandbox(sandbox.id());
        }
    }
}
