package io.argosy.controllers.disruption;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.controllers.Manifests;
import io.argosy.controllers.disruption.BudgetDecision.Expectation;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetSpec;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BudgetDecisionTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:10:00Z");

    @ParameterizedTest(name = "minAvailable {0}, maxUnavailable {1} of {2}: {3} must stay")
    @CsvSource({
        "2, , 3, 2",
        "5, , 3, 5",
        "50%, , 3, 2",
        "100%, , 3, 3",
        "0%, , 3, 0",
        ", 1, 3, 2",
        ", 0, 3, 3",
        ", 5, 3, 0",
        ", 30%, 10, 7",
        ", 25%, 3, 2"
    })
    void sharesAreRoundedUp(String minAvailable, String maxUnavailable, int count, int healthy) {
        assertThat(BudgetDecision.expect(spec(minAvailable, maxUnavailable), count))
                .isEqualTo(new Expectation(count, healthy));
    }

    @ParameterizedTest
    @CsvSource({"2, , false", "50%, , true", ", 1, true", ", 10%, true"})
    void onlyANumberThatMustStayNeedsNoScale(String minAvailable, String maxUnavailable, boolean needsScale) {
        assertThat(BudgetDecision.needsScale(spec(minAvailable, maxUnavailable)))
                .isEqualTo(needsScale);
    }

    @ParameterizedTest(name = "{0} ready and {1} not, {2} expected, {3} must stay: {4} may go")
    @CsvSource({
        "3, 0, 3, 2, 1, True, SufficientPods",
        "2, 1, 3, 2, 0, False, InsufficientPods",
        "1, 2, 3, 2, 0, False, InsufficientPods",
        "3, 0, 3, 0, 3, True, SufficientPods",
        "0, 0, 0, 0, 0, False, InsufficientPods"
    })
    void asManyMayGoAsAreHealthyBeyondWhatMustStay(
            int ready, int unready, int pods, int healthy, int allowed, String condition, String reason) {
        List<Pod> all = new ArrayList<>();
        for (int i = 0; i < ready + unready; i++) {
            all.add(pod("p" + i, i < ready));
        }
        PodDisruptionBudgetStatus status = BudgetDecision.decide(
                        budget(Map.of()), all, new Expectation(pods, healthy), NOW)
                .status();
        assertThat(status.getDisruptionsAllowed()).isEqualTo(allowed);
        assertThat(status.getCurrentHealthy()).isEqualTo(ready);
        assertThat(status.getDesiredHealthy()).isEqualTo(healthy);
        assertThat(status.getExpectedPods()).isEqualTo(pods);
        assertThat(status.getObservedGeneration()).isEqualTo(4);
        assertThat(status.getConditions().getFirst().getStatus()).isEqualTo(condition);
        assertThat(status.getConditions().getFirst().getReason()).isEqualTo(reason);
    }

    @Test
    void podsSpentByAnEvictionAreNotHealthyUntilItIsClearThatTheyStay() {
        Pod ending = new PodBuilder(pod("ending", true))
                .editMetadata()
                .withDeletionTimestamp("2026-01-01T00:10:20Z")
                .endMetadata()
                .build();
        PodDisruptionBudget budget = budget(Map.of(
                "spent", "2026-01-01T00:09:00Z",
                "stayed", "2026-01-01T00:07:59Z",
                "ending", "2026-01-01T00:09:59Z",
                "gone", "2026-01-01T00:09:59Z"));
        BudgetDecision decision = BudgetDecision.decide(
                budget,
                List.of(pod("spent", true), pod("stayed", true), ending, pod("other", true)),
                new Expectation(4, 2),
                NOW);
        assertThat(decision.status().getCurrentHealthy()).isEqualTo(2);
        assertThat(decision.status().getDisruptedPods()).containsOnlyKeys("spent");
        assertThat(decision.overdue())
                .extracting(pod -> pod.getMetadata().getName())
                .containsExactly("stayed");
        assertThat(decision.recheck()).contains(Duration.ofSeconds(60));
    }

    @Test
    void whenNobodyCanTellNoneMayGo() {
        PodDisruptionBudget budget = budget(Map.of());
        budget.setStatus(BudgetDecision.decide(budget, List.of(pod("p", true)), new Expectation(1, 0), NOW)
                .status());
        budget.getMetadata().setGeneration(5L);
        PodDisruptionBudgetStatus status = BudgetDecision.failed(budget, "found no controllers for pod \"p\"", NOW);
        assertThat(status.getDisruptionsAllowed()).isZero();
        assertThat(status.getCurrentHealthy()).isEqualTo(1);
        assertThat(status.getConditions()).hasSize(1);
        assertThat(status.getConditions().getFirst().getReason()).isEqualTo("SyncFailed");
        assertThat(status.getObservedGeneration())
                .as("what the new spec allows was not worked out")
                .isEqualTo(4);
    }

    @ParameterizedTest(name = "{0}, {1}: stale at {2}")
    @CsvSource({
        "True, EvictionByEvictionAPI, 2026-01-01T00:02:00Z",
        "True, TerminationByKubelet,",
        "False, EvictionByEvictionAPI,"
    })
    void saidDisruptionsBecomeStaleAfterTwoMinutes(String status, String reason, Instant due) {
        Pod pod = new PodBuilder(pod("p", true))
                .editStatus()
                .addNewCondition()
                .withType("DisruptionTarget")
                .withStatus(status)
                .withReason(reason)
                .withLastTransitionTime("2026-01-01T00:00:00Z")
                .endCondition()
                .endStatus()
                .build();
        assertThat(StaleDisruptions.due(pod).orElse(null)).isEqualTo(due);
    }

    private static PodDisruptionBudgetSpec spec(String minAvailable, String maxUnavailable) {
        PodDisruptionBudgetSpec spec = new PodDisruptionBudgetSpec();
        spec.setMinAvailable(value(minAvailable));
        spec.setMaxUnavailable(value(maxUnavailable));
        return spec;
    }

    private static IntOrString value(String text) {
        if (text == null) {
            return null;
        }
        return text.endsWith("%") ? new IntOrString(text) : new IntOrString(Integer.parseInt(text));
    }

    private static PodDisruptionBudget budget(Map<String, String> disrupted) {
        return new PodDisruptionBudgetBuilder()
                .withNewMetadata()
                .withName("budget")
                .withGeneration(4L)
                .endMetadata()
                .withNewStatus()
                .withDisruptedPods(disrupted)
                .endStatus()
                .build();
    }

    private static Pod pod(String name, boolean ready) {
        return new PodBuilder(Manifests.pod(name, Map.of("app", "web")))
                .withNewStatus()
                .withPhase("Running")
                .addNewCondition()
                .withType("Ready")
                .withStatus(ready ? "True" : "False")
                .endCondition()
                .endStatus()
                .build();
    }
}
