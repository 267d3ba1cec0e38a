package io.argosy.controllers.nodelifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.TaintBuilder;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The tables by which a node is judged. */
class NodeDecisionsTest {
    private static final Instant NOW = Instant.parse("2026-01-01T01:00:00Z");

    @Test
    void aNodeIsLostWhenNeitherLeaseNorStatusHasMovedForTheGracePeriod() {
        Node node = node("True");
        Heartbeat first = Heartbeat.observe(null, node, lease("2025-01-01T00:00:00Z"), NOW);
        assertThat(first.left(node, NOW)).isEqualTo(Heartbeat.GRACE);
        Heartbeat same = Heartbeat.observe(first, node, lease("2025-01-01T00:00:00Z"), NOW.plusSeconds(49));
        assertThat(same.left(node, NOW.plusSeconds(49))).isEqualTo(Duration.ofSeconds(1));
        assertThat(same.left(node, NOW.plusSeconds(50)).isPositive()).isFalse();
        Heartbeat renewed = Heartbeat.observe(first, node, lease("2025-01-01T00:00:10Z"), NOW.plusSeconds(49));
        assertThat(renewed.left(node, NOW.plusSeconds(49))).isEqualTo(Heartbeat.GRACE);
    }

    @Test
    void aNodeThatNeverSpokeHasAMinuteFromItsCreation() {
        Node node = new NodeBuilder(node("True")).withStatus(null).build();
        Heartbeat none = Heartbeat.observe(null, node, Optional.empty(), NOW);
        assertThat(none.left(node, NOW)).isEqualTo(Heartbeat.STARTUP_GRACE);
        assertThat(NodeConditions.unknown(node, NOW))
                .extracting(NodeCondition::getType)
                .containsExactly("Ready", "MemoryPressure", "DiskPressure", "PIDPressure");
        assertThat(NodeConditions.unknown(node, NOW))
                .extracting(NodeCondition::getReason)
                .containsOnly("NodeStatusNeverUpdated");
    }

    @Test
    void whatALostNodeLastSaidIsNoLongerKnown() {
        List<NodeCondition> conditions = NodeConditions.unknown(node("True"), NOW);
        assertThat(conditions.getFirst().getStatus()).isEqualTo("Unknown");
        assertThat(conditions.getFirst().getReason()).isEqualTo("NodeStatusUnknown");
        assertThat(conditions.getFirst().getMessage()).isEqualTo("Kubelet stopped posting node status.");
    }

    @ParameterizedTest(name = "Ready {0}, driving {1}: {2}")
    @CsvSource(
            delimiter = '|',
            value = {
                "True | | other:NoExecute",
                "False | | other:NoExecute node.kubernetes.io/not-ready:NoSchedule",
                "Unknown | node.kubernetes.io/unreachable | other:NoExecute"
                        + " node.kubernetes.io/unreachable:NoSchedule node.kubernetes.io/unreachable:NoExecute",
                "False | node.kubernetes.io/not-ready | other:NoExecute"
                        + " node.kubernetes.io/not-ready:NoSchedule node.kubernetes.io/not-ready:NoExecute"
            })
    void taintsSayWhatIsWrong(String ready, String driving, String wanted) {
        Node node = new NodeBuilder(node(ready))
                .withNewSpec()
                .withTaints(
                        taint("other", "NoExecute"),
                        taint("node.kubernetes.io/memory-pressure", "NoSchedule"),
                        taint(ready.equals("False") ? NodeTaints.UNREACHABLE : NodeTaints.NOT_READY, "NoExecute"))
                .endSpec()
                .build();
        assertThat(NodeTaints.wanted(node, driving, NOW))
                .extracting(taint -> taint.getKey() + ":" + taint.getEffect())
                .containsExactly(wanted.split(" "));
    }

    @Test
    void pressureAndCordonKeepPodsAway() {
        Node node = new NodeBuilder(node("True"))
                .withNewSpec()
                .withUnschedulable(true)
                .endSpec()
                .editStatus()
                .addNewCondition()
                .withType("DiskPressure")
                .withStatus("True")
                .endCondition()
                .endStatus()
                .build();
        assertThat(NodeTaints.wanted(node, null, NOW))
                .extracting(Taint::getKey)
                .containsExactly("node.kubernetes.io/disk-pressure", "node.kubernetes.io/unschedulable");
    }

    @ParameterizedTest(name = "{0} ready, {1} not: {2}, {3} nodes per second")
    @CsvSource({
        "3, 0, NORMAL, 0.1",
        "1, 2, NORMAL, 0.1",
        "2, 3, PARTIAL_DISRUPTION, 0",
        "40, 60, PARTIAL_DISRUPTION, 0.01",
        "5, 4, NORMAL, 0.1",
        "0, 2, FULL_DISRUPTION, 0.1"
    })
    void zones(int ready, int notReady, ZoneState state, double rate) {
        assertThat(ZoneState.of(ready, notReady)).isEqualTo(state);
        assertThat(state.rate(ready + notReady)).isEqualTo(rate);
    }

    @Test
    void whenTheWholeClusterIsSilentNobodyIsDrivenOut() {
        List<Node> nodes = new ArrayList<>(List.of(zoned("a", "Unknown"), zoned("b", "Unknown")));
        assertThat(ZoneState.rate("/a", nodes)).isZero();
        nodes.add(zoned("b", "True"));
        assertThat(ZoneState.rate("/a", nodes)).isEqualTo(0.1);
    }

    @Test
    void theFirstNodeOfAZoneIsTaintedAtOnceAndTheNextTenSecondsLater() {
        ZoneTurns turns = new ZoneTurns();
        assertThat(turns.wait("/a", 0.1, NOW)).contains(Duration.ZERO);
        turns.used("/a", NOW);
        assertThat(turns.wait("/a", 0.1, NOW.plusSeconds(4))).contains(Duration.ofSeconds(6));
        assertThat(turns.wait("/b", 0.1, NOW)).contains(Duration.ZERO);
        assertThat(turns.wait("/a", 0, NOW.plusSeconds(100))).isEmpty();
    }

    /** A taint put on at 00:59:00, looked at at 01:00:00. */
    @ParameterizedTest(name = "toleration {0} {1} {2}s: due {3}")
    @CsvSource({
        "other, NoExecute, , 2026-01-01T01:00:00Z",
        "gone, NoExecute, , ",
        "gone, , , ",
        ", , , ",
        "gone, NoSchedule, , 2026-01-01T01:00:00Z",
        "gone, NoExecute, 300, 2026-01-01T01:04:00Z",
        "gone, NoExecute, 0, 2026-01-01T00:59:00Z",
        "gone, NoExecute, -5, 2026-01-01T00:59:00Z"
    })
    void patience(String key, String effect, Long seconds, Instant due) {
        Toleration toleration = new TolerationBuilder()
                .withKey(key)
                .withOperator("Exists")
                .withEffect(effect)
                .withTolerationSeconds(seconds)
                .build();
        List<Taint> taints = List.of(new TaintBuilder(taint("gone", "NoExecute"))
                .withTimeAdded("2026-01-01T00:59:00Z")
                .build());
        assertThat(Eviction.due(taints, List.of(toleration), NOW).orElse(null)).isEqualTo(due);
    }

    @Test
    void theShortestPatienceCountsAndTaintsThatOnlyKeepAwayDriveNobodyOut() {
        List<Taint> taints = List.of(taint("a", "NoExecute"), taint("b", "NoExecute"), taint("c", "NoSchedule"));
        List<Toleration> tolerations = List.of(
                new TolerationBuilder()
                        .withKey("a")
                        .withOperator("Exists")
                        .withTolerationSeconds(60L)
                        .build(),
                new TolerationBuilder()
                        .withKey("b")
                        .withOperator("Exists")
                        .withTolerationSeconds(30L)
                        .build());
        assertThat(Eviction.due(taints, tolerations, NOW)).contains(NOW.plusSeconds(30));
        assertThat(Eviction.due(taints.subList(2, 3), List.of(), NOW)).isEmpty();
    }

    @ParameterizedTest(name = "{0} s, then {1} s: goes after {2} s")
    @CsvSource({"60, 30, 60", "30, 60, 30", ", 30, "})
    void ofSeveralTolerationsForOneTaintTheFirstCounts(Long first, Long second, Long due) {
        List<Toleration> tolerations = Stream.of(Optional.ofNullable(first), Optional.ofNullable(second))
                .map(seconds -> new TolerationBuilder()
                        .withKey("a")
                        .withOperator("Exists")
                        .withTolerationSeconds(seconds.orElse(null))
                        .build())
                .toList();
        assertThat(Eviction.due(List.of(taint("a", "NoExecute")), tolerations, NOW)
                        .orElse(null))
                .isEqualTo(due == null ? null : NOW.plusSeconds(due));
    }

    private static Taint taint(String key, String effect) {
        return new TaintBuilder().withKey(key).withEffect(effect).build();
    }

    private static Node zoned(String zone, String ready) {
        return new NodeBuilder(node(ready))
                .editMetadata()
                .addToLabels("topology.kubernetes.io/zone", zone)
                .endMetadata()
                .build();
    }

    private static Node node(String ready) {
        return new NodeBuilder()
                .withNewMetadata()
                .withName("n")
                .withCreationTimestamp("2026-01-01T01:00:00Z")
                .endMetadata()
                .withNewStatus()
                .addNewCondition()
                .withType("Ready")
                .withStatus(ready)
                .withLastHeartbeatTime("2026-01-01T00:00:00Z")
                .endCondition()
                .endStatus()
                .build();
    }

    private static Optional<Lease> lease(String renewed) {
        return Optional.of(new LeaseBuilder()
                .withNewSpec()
                .withRenewTime(Instant.parse(renewed).atZone(ZoneOffset.UTC))
                .endSpec()
                .build());
    }
}
