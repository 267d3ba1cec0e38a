package io.argosy.node.agent.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.VirtualClock;
import io.argosy.node.agent.fake.FakeRuntime;
import io.argosy.node.runtime.ContainerStatus;
import io.argosy.node.runtime.PodIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogRotationTest {
    @TempDir
    Path folder;

    private final FakeRuntime runtime = new FakeRuntime(new VirtualClock(Instant.EPOCH));

    @Test
    void aLogThatIsTooLargeMovesOnAndTheOldestGoes() throws IOException {
        Path log = folder.resolve("0.log");
        LogRotation rotation = new LogRotation(runtime, 10);
        List<ContainerStatus> running = List.of(container(log));
        Files.writeString(log, "short");
        rotation.check(running);
        assertThat(folder).isDirectoryNotContaining("glob:**.1");

        for (int i = 1; i <= 6; i++) {
            Files.writeString(log, "a long line " + i);
            rotation.check(running);
        }

        assertThat(log).doesNotExist(); // the runtime writes it anew
        assertThat(folder.resolve("0.log.1")).hasContent("a long line 6");
        assertThat(folder.resolve("0.log.4")).hasContent("a long line 3");
        assertThat(folder.resolve("0.log.5")).doesNotExist();
        assertThat(runtime.calls().stream().filter(call -> call.startsWith("reopen")))
                .hasSize(6);
    }

    private static ContainerStatus container(Path log) {
        return new ContainerStatus(
                "c",
                "s",
                new PodIdentity("ns", "p", "u", 0),
                "main",
                0,
                ContainerStatus.State.RUNNING,
                OptionalLong.empty(),
                Instant.EPOCH,
                Optional.of(Instant.EPOCH),
                Optional.empty(),
                OptionalInt.empty(),
                "",
                "",
                log,
                "sha256:1",
                Optional.empty(),
                Map.of());
    }
}
