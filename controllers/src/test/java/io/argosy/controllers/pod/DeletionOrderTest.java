package io.argosy.controllers.pod;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.controllers.Manifests;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class DeletionOrderTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final String LONG_AGO = "2026-01-01T00:00:00Z";
    private static final String LATELY = "2026-01-01T11:59:00Z";

    static Stream<Arguments> pairs() {
        Pod solid = pod("solid", "n1", "Running", LONG_AGO, LONG_AGO, 0, null);
        return Stream.of(
                Arguments.of("unassigned before assigned", pod("x", null, "Pending", null, LONG_AGO, 0, null), solid),
                Arguments.of("pending before running", pod("x", "n1", "Pending", null, LONG_AGO, 0, null), solid),
                Arguments.of("unknown before running", pod("x", "n1", "Unknown", LONG_AGO, LONG_AGO, 0, null), solid),
                Arguments.of("not ready before ready", pod("x", "n1", "Running", null, LONG_AGO, 0, null), solid),
                Arguments.of("cheap before dear", pod("x", "n1", "Running", LONG_AGO, LONG_AGO, 0, "-5"), solid),
                Arguments.of("lately ready first", pod("x", "n1", "Running", LATELY, LONG_AGO, 0, null), solid),
                Arguments.of("often restarted first", pod("x", "n1", "Running", LONG_AGO, LONG_AGO, 3, null), solid),
                Arguments.of("young before old", pod("x", "n1", "Running", LONG_AGO, LATELY, 0, null), solid),
                Arguments.of(
                        "cost outweighs age",
                        pod("x", "n1", "Running", LONG_AGO, LONG_AGO, 0, "1"),
                        pod("y", "n1", "Running", LATELY, LATELY, 0, "2")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("pairs")
    void whoMattersLessGoesFirst(String why, Pod first, Pod second) {
        assertThat(DeletionOrder.choose(List.of(second, first), List.of(), 1, NOW))
                .containsExactly(first);
        assertThat(DeletionOrder.choose(List.of(first, second), List.of(), 1, NOW))
                .containsExactly(first);
    }

    @Test
    void crowdedNodesAreThinnedFirst() {
        Pod alone = pod("alone", "n1", "Running", LONG_AGO, LONG_AGO, 0, null);
        Pod crowded = pod("crowded", "n2", "Running", LONG_AGO, LONG_AGO, 0, null);
        Pod neighbour = pod("neighbour", "n2", "Running", LONG_AGO, LONG_AGO, 0, null);
        assertThat(DeletionOrder.choose(List.of(alone, crowded), List.of(alone, crowded, neighbour), 1, NOW))
                .containsExactly(crowded);
    }

    @Test
    void aCostThatIsNotANumberCountsAsNone() {
        for (String cost : List.of("+5", "01", "many", "99999999999", "")) {
            assertThat(DeletionOrder.deletionCost(pod("x", "n1", "Running", null, LONG_AGO, 0, cost)))
                    .as(cost)
                    .isZero();
        }
    }

    private static Pod pod(
            String name, String node, String phase, String readySince, String created, int restarts, String cost) {
        return new PodBuilder(Manifests.pod(name, Map.of()))
                .editMetadata()
                .withUid("uid-" + name)
                .withCreationTimestamp(created)
                .withAnnotations(cost == null ? Map.of() : Map.of(DeletionOrder.DELETION_COST, cost))
                .endMetadata()
                .editSpec()
                .withNodeName(node)
                .endSpec()
                .withNewStatus()
                .withPhase(phase)
                .addNewCondition()
                .withType("Ready")
                .withStatus(readySince == null ? "False" : "True")
                .withLastTransitionTime(readySince)
                .endCondition()
                .addNewContainerStatus()
                .withName("main")
                .withRestartCount(restarts)
                .endContainerStatus()
                .endStatus()
                .build();
    }
}
