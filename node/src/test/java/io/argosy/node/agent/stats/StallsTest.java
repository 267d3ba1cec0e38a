package io.argosy.node.agent.stats;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.api.metrics.Exposition;
import io.argosy.api.time.VirtualClock;
import io.argosy.node.agent.fake.FakeRuntime;
import io.argosy.node.agent.pod.PodView;
import io.argosy.node.runtime.ContainerStats.Throttling;
import io.argosy.node.runtime.ContainerStats.Usage;
import io.argosy.node.runtime.SandboxStats.Network;
import io.argosy.node.runtime.Stalls;
import io.argosy.node.runtime.Stalls.Share;
import io.argosy.node.runtime.Stalls.Stall;
import io.argosy.node.usage.MachineCounters;
import io.argosy.node.usage.UsageMeter;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who had to wait for what, where the kernel counts it. */
class StallsTest {
    private static final Stalls SOME = new Stalls(
            Optional.of(new Stall(new Share(2_500_000, 1.5, 0.5, 0.25), new Share(1_000_000, 0.5, 0, 0))),
            Optional.of(new Stall(new Share(7, 0, 0, 0), new Share(0, 0, 0, 0))),
            Optional.of(new Stall(new Share(3_000_000, 0, 0, 3), new Share(2_000_000, 0, 0, 2))));

    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-01-01T00:00:00Z"));

    @TempDir
    Path folder;

    private PodUse pod(Stalls stalls) {
        Pod pod = new PodBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("p")
                .withUid("u")
                .endMetadata()
                .withNewSpec()
                .endSpec()
                .build();
        return new PodUse(pod, new Usage(1, 1, 1, 1, 1, 1, Throttling.NONE, stalls), Network.NONE, List.of(), Map.of());
    }

    private Measure measure(Stalls stalls) {
        UsageMeter meter = new UsageMeter(new FakeRuntime(clock), new MachineCounters(), clock);
        NodeUse node = new NodeUse(
                clock.now(),
                Optional.of(new MachineCounters.Read(clock.now(), 1, 1, 1)),
                Optional.empty(),
                Optional.empty(),
                stalls,
                Optional.empty(),
                Optional.empty(),
                Map.of());
        return new Measure() {
            @Override
            public NodeUse node() {
                return node;
            }

            @Override
            public Optional<PodUse> pod(PodView view) {
                return Optional.empty();
            }

            @Override
            public UsageMeter meter() {
                return meter;
            }

            @Override
            public List<ClaimUse> claims(Pod pod) {
                return List.of();
            }
        };
    }

    private JsonNode summary(Stalls stalls, boolean brief) throws IOException {
        return Json.decode(SummaryPage.of("n", measure(stalls), List.of(pod(stalls)), brief));
    }

    private String metrics(Stalls stalls) {
        Exposition page = new Exposition(false);
        new UsageMetrics(page, List.of(pod(stalls))).cadvisor(measure(stalls).node());
        return new String(page.bytes(), StandardCharsets.UTF_8);
    }

    @Test
    void theSummaryTellsOfNodeAndPodsWhoWaited() throws IOException {
        JsonNode whole = summary(SOME, false);
        for (JsonNode told : List.of(whole.path("node"), whole.at("/pods/0"))) {
            assertThat(told.at("/cpu/psi")).isEqualTo(Json.decode("""
                {"full":{"total":1000000,"avg10":0.5,"avg60":0.0,"avg300":0.0},
                 "some":{"total":2500000,"avg10":1.5,"avg60":0.5,"avg300":0.25}}
                """.getBytes(StandardCharsets.UTF_8)));
            assertThat(told.at("/memory/psi/some/total").asLong()).isEqualTo(7);
            assertThat(told.at("/io/psi/full/avg300").asDouble()).isEqualTo(2);
            assertThat(told.at("/io/time").asText()).isEqualTo("2026-01-01T00:00:00Z");
        }
        JsonNode brief = summary(SOME, true);
        assertThat(brief.at("/node/cpu/psi").isMissingNode()).isFalse();
        assertThat(brief.at("/node/io").isMissingNode()).isTrue();
    }

    @Test
    void theFamiliesOfCadvisorTellOfItInSeconds() {
        assertThat(metrics(SOME).lines().filter(line -> line.contains("pressure") && !line.startsWith("#")))
                .allMatch(line -> line.contains("namespace=\"default\"") && line.contains("pod=\"p\""))
                .map(line -> line.substring(0, line.indexOf('{')) + line.substring(line.lastIndexOf(' ')))
                .containsExactly(
                        "container_pressure_cpu_stalled_seconds_total 1",
                        "container_pressure_cpu_waiting_seconds_total 2.5",
                        "container_pressure_memory_stalled_seconds_total 0",
                        "container_pressure_memory_waiting_seconds_total 7.0e-6",
                        "container_pressure_io_stalled_seconds_total 2",
                        "container_pressure_io_waiting_seconds_total 3");
    }

    @Test
    void whereTheKernelDoesNotCountNothingIsSaid() throws IOException {
        assertThat(summary(Stalls.UNKNOWN, false).toString()).doesNotContain("psi", "\"io\"");
        assertThat(metrics(Stalls.UNKNOWN)).doesNotContain("pressure");
    }

    @Test
    void whatTheKernelSaysIsRead() throws IOException {
        Files.writeString(folder.resolve("cpu.pressure"), """
            some avg10=1.50 avg60=0.50 avg300=0.25 total=2500000
            full avg10=0.50 avg60=0.00 avg300=0.00 total=1000000
            """);
        Files.writeString(folder.resolve("memory.pressure"), "some avg10=0.00 avg60=0.00 avg300=0.00 total=7\n");

        Stalls read = Stalls.read(folder, ".pressure");

        assertThat(read).isEqualTo(new Stalls(SOME.cpu(), SOME.memory(), Optional.empty()));
    }
}
