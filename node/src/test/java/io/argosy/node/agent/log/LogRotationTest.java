package io.argosy.node.agent.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.VirtualClock;
import io.argosy.node.agent.fake.FakeRuntime;
import io.argosy.node.runtime.ContainerStatus;
import io.argosy.node.runtime.PodIdentity;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logs that grow are set aside, compressed and at last removed. */
class LogRotationTest {
    @TempDir
    Path folder;

    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-01-01T00:00:00Z"));
    private final FakeRuntime runtime = new FakeRuntime(clock);
    private final LogRotation rotation = new LogRotation(runtime, clock, 10);

    private void rotate(Path log, int times) throws IOException {
        for (int i = 1; i <= times; i++) {
            Files.writeString(log, "a long line " + i);
            clock.advance(Duration.ofSeconds(20));
            rotation.check(List.of(container(log)));
        }
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static String unpacked(Path file) throws IOException {
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private long reopened() {
        return runtime.calls().stream()
                .filter(call -> call.startsWith("reopen"))
                .count();
    }

    @Test
    void aLogThatIsTooLargeMovesOnAndTheOldestGoes() throws IOException {
        Path log = folder.resolve("0.log");
        Files.writeString(log, "short");
        rotation.check(List.of(container(log)));
        assertThat(names()).containsExactly("0.log");

        rotate(log, 6);

        // the log itself is written anew by the runtime
        assertThat(names())
                .containsExactly(
                        "0.log.20260101-000100.gz",
                        "0.log.20260101-000120.gz",
                        "0.log.20260101-000140.gz",
                        "0.log.20260101-000200");
        assertThat(folder.resolve("0.log.20260101-000200")).hasContent("a long line 6");
        assertThat(unpacked(folder.resolve("0.log.20260101-000140.gz"))).isEqualTo("a long line 5");
        assertThat(unpacked(folder.resolve("0.log.20260101-000100.gz"))).isEqualTo("a long line 3");
        assertThat(reopened()).isEqualTo(6);
    }

    @Test
    void whatACompressionLeftThatWasCutShortGoes() throws IOException {
        Path log = folder.resolve("0.log");
        Files.writeString(folder.resolve("0.log.20251231-000000"), "whole");
        Files.writeString(folder.resolve("0.log.20251231-000000.tmp"), "ha");
        Files.writeString(folder.resolve("0.log.20251230-000000"), "twice");
        Files.writeString(folder.resolve("0.log.20251230-000000.gz"), "compressed");
        Files.writeString(folder.resolve("1.log.20251230-000000"), "another's");

        rotate(log, 1);

        assertThat(names())
                .containsExactly(
                        "0.log.20251230-000000.gz",
                        "0.log.20251231-000000.gz",
                        "0.log.20260101-000020",
                        "1.log.20251230-000000");
        assertThat(folder.resolve("0.log.20251230-000000.gz")).hasContent("compressed");
        assertThat(unpacked(folder.resolve("0.log.20251231-000000.gz"))).isEqualTo("whole");
    }

    @Test
    void aLogThatSomebodyTookAwayIsBegunAnew() {
        rotation.check(List.of(container(folder.resolve("0.log"))));

        assertThat(reopened()).isEqualTo(1);
    }

    @Test
    void allThatAContainerWroteGoesWithIt() throws IOException {
        rotate(folder.resolve("0.log"), 3);
        rotate(folder.resolve("1.log"), 1);

        LogRotation.remove(folder.resolve("0.log"));

        assertThat(names()).containsExactly("1.log.20260101-000120");
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
