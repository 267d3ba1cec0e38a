package io.argosy.controllers.replicaset;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.controllers.Manifests;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many pods to create or delete, and what is reported of those there are. */
class ReplicaDecisionsTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    @ParameterizedTest(name = "{0} wanted, {1} there: create {2}, delete {3}")
    @CsvSource({
        "3, 0, 3, 0",
        "3, 2, 1, 0",
        "3, 3, 0, 0",
        "3, 5, 0, 2",
        "0, 2, 0, 2",
        "2000, 0, 500, 0",
        "0, 700, 0, 500"
    })
    void theDifferenceIsMadeUpInBursts(int desired, int there, int create, int delete) {
        List<Pod> pods =
                IntStream.range(0, there).mapToObj(i -> pod("p" + i, 3600)).toList();
        ReplicaDiff diff = ReplicaDiff.of(desired, pods, pods, NOW);
        assertThat(diff.create()).isEqualTo(create);
        assertThat(diff.delete()).hasSize(delete);
        assertThat(diff.isEmpty()).isEqualTo(create + delete == 0);
    }

    @ParameterizedTest(name = "ready since {0} s, {1} s are enough: {2} ready, {3} available")
    @CsvSource({"3600, 0, 1, 1", "-1, 0, 0, 0", "9, 10, 1, 0", "10, 10, 1, 1"})
    void readyPodsAreAvailableAfterAWhile(int since, int minReady, int ready, int available) {
        ReplicaStatus status = status(minReady, List.of(pod("p", since)), 1, List.of(), null);
        assertThat(status.ready()).isEqualTo(ready);
        assertThat(status.available()).isEqualTo(available);
        assertThat(status.fullyLabeled()).isEqualTo(1);
    }

    @ParameterizedTest(name = "{0} of {1} there, failed {2}, told before {3}: {4}")
    @CsvSource({
        "1, 3, true, false, FailedCreate",
        "5, 3, true, false, FailedDelete",
        "1, 3, true, true, Old", // the first failure of a streak is the one that is shown
        "1, 3, false, true, ",
        "3, 3, false, false, "
    })
    void aFailureIsACondition(int there, int desired, boolean fails, boolean told, String reason) {
        List<Pod> pods =
                IntStream.range(0, there).mapToObj(i -> pod("p" + i, 60)).toList();
        List<ReplicaStatus.Condition> before = told
                ? List.of(new ReplicaStatus.Condition("ReplicaFailure", "True", "Old", "first", "2026-01-01T11:00:00Z"))
                : List.of();
        ReplicaStatus status = status(0, pods, desired, before, fails ? new IllegalStateException("no room") : null);
        assertThat(status.conditions())
                .extracting(ReplicaStatus.Condition::reason)
                .isEqualTo(reason == null ? List.of() : List.of(reason));
    }

    private static ReplicaStatus status(
            int minReady, List<Pod> pods, int desired, List<ReplicaStatus.Condition> before, Exception failure) {
        return ReplicaStatus.of(
                new ReplicaStatus.Observed(desired, minReady, Map.of("app", "web"), pods, 0, 1), before, failure, NOW);
    }

    private static Pod pod(String name, int readySince) {
        return new PodBuilder(Manifests.pod(name, Map.of("app", "web", "more", "of it")))
                .editMetadata()
                .withCreationTimestamp("2026-01-01T10:00:00Z")
                .endMetadata()
                .withNewStatus()
                .withPhase("Running")
                .addNewCondition()
                .withType("Ready")
                .withStatus(readySince < 0 ? "False" : "True")
                .withLastTransitionTime(
                        NOW.minusSeconds(Math.max(0, readySince)).toString())
                .endCondition()
                .endStatus()
                .build();
    }
}
