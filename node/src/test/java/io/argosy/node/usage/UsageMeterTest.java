package io.argosy.node.usage;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.VirtualClock;
import io.argosy.node.agent.fake.FakeRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UsageMeterTest {
    private static final long SECOND = 1_000_000_000;

    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-01-01T00:00:00Z"));

    @TempDir
    Path proc;

    @Test
    void theMachineIsMeasuredSinceItsStartAndThenSinceTheLastQuestion() throws IOException {
        UsageMeter meter = new UsageMeter(new FakeRuntime(clock), new MachineCounters(proc), clock);
        assertThat(meter.node()).isEmpty();
        write(clock.now().minusSeconds(100), 1000, 300, 200);
        Sample first = meter.node().orElseThrow();
        assertThat(first.window()).isEqualTo(Duration.ofSeconds(100));
        assertThat(first.nanoCores()).isEqualTo(SECOND * 15 / 100); // of 1500 hundredths, idle ones do not count
        assertThat(first.memoryBytes()).isEqualTo(600L << 10);

        clock.advance(Duration.ofSeconds(20));
        write(clock.now().minusSeconds(120), 3000, 300, 200);
        Sample second = meter.node().orElseThrow();
        assertThat(second.window()).isEqualTo(Duration.ofSeconds(20));
        assertThat(second.nanoCores()).isEqualTo(SECOND);

        clock.advance(Duration.ofSeconds(1));
        assertThat(meter.node().orElseThrow().window()).isEqualTo(Duration.ofSeconds(21));
    }

    @Test
    void theMachinesOwnTasksAreCountedInFull() throws IOException {
        MachineCounters.Tasks tasks = new MachineCounters().tasks().orElseThrow();
        long most = Long.parseLong(
                Files.readAllLines(Path.of("/proc/sys/kernel/pid_max")).getFirst());
        assertThat(tasks.most()).isGreaterThan(9).isLessThanOrEqualTo(most);
        assertThat(tasks.current()).isBetween(2L, most);
    }

    private void write(Instant booted, long user, long system, long memoryFree) throws IOException {
        Files.writeString(
                proc.resolve("stat"),
                "cpu  " + user + " 0 " + system + " 77777 888 200 0 0 5555 0\ncpu0 1 1 1\nbtime "
                        + booted.getEpochSecond() + "\n");
        Files.writeString(
                proc.resolve("meminfo"), "MemTotal: 800 kB\nMemFree: 1 kB\nMemAvailable: " + memoryFree + " kB\n");
    }
}
