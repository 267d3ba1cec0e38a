package io.argosy.node.runtime.oci;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.node.runtime.ContainerStatus;
import io.argosy.node.runtime.ContainerStatus.State;
import io.argosy.node.runtime.Sandbox;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Containers whose monitor was killed, so that nobody writes down their end, or is slow to do it. */
class LostMonitorTest {
    private static final int SIGSTOP = 19;
    private static final int SIGCONT = 18;

    private static void tellMonitor(BusyboxHost host, String id, int signal) throws Exception {
        for (long monitor : Procs.runningFor(id, List.of(host.config.conmon().toString()))) {
            Linux.kill(monitor, signal);
        }
    }

    /** Else its monitor would be killed in the middle of writing, and leave half a file for ever. */
    @Test
    void aMonitorThatIsAboutToWriteDownAnEndIsWaitedFor() throws Exception {
        try (BusyboxHost host = new BusyboxHost("slow", 21)) {
            Sandbox sandbox = host.runtime.runSandbox(host.pod("slow").build());
            String id = host.run(sandbox, host.shell("sleep 1000").build());
            long process = host.runtime.container(id).orElseThrow().pid().orElseThrow();
            tellMonitor(host, id, SIGSTOP);
            Linux.kill(process, Linux.SIGKILL);
            eventually("dead", () -> Procs.startTicks(process).isEmpty());

            Thread stopping = Thread.ofVirtual().start(() -> host.runtime.stopContainer(id, Duration.ZERO));
            tellMonitor(host, id, SIGCONT);
            stopping.join();

            assertThat(host.config.exits().resolve(id)).hasContent("137");
            host.runtime.removeSandbox(sandbox.id());
        }
    }

    @Test
    void itsEndIsSeenByWhoLooks() throws Exception {
        try (BusyboxHost host = new BusyboxHost("lost", 20)) {
            Sandbox sandbox = host.runtime.runSandbox(host.pod("lost").build());
            String id = host.run(sandbox, host.shell("sleep 1000").build());
            long process = host.runtime.container(id).orElseThrow().pid().orElseThrow();
            tellMonitor(host, id, Linux.SIGKILL);
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
