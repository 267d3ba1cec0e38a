package io.argosy.controllers.autoscaler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.controllers.autoscaler.ReplicaCalculator.Measured;
import io.argosy.controllers.autoscaler.ReplicaCalculator.Outcome;
import io.argosy.controllers.autoscaler.ReplicaCalculator.Tolerance;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many pods a use asks for; pods ask for 1000 thousandths each. */
class ReplicaCalculatorTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final Measured CPU = new Measured("cpu", "");
    private static final Measured MEMORY = new Measured("memory", "");

    private final List<Pod> pods = new ArrayList<>();
    private final Map<String, PodUsage> usage = new HashMap<>();
    private final Map<String, Long> requests = new HashMap<>();

    private void pod(String phase, String ready, Duration age, Duration readyFor, Long milli) {
        String name = "p" + pods.size();
        pods.add(new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewStatus()
                .withPhase(phase)
                .withStartTime(NOW.minus(age).toString())
                .addNewCondition()
                .withType("Ready")
                .withStatus(ready)
                .withLastTransitionTime(NOW.minus(readyFor).toString())
                .endCondition()
                .endStatus()
                .build());
        requests.put(name, 1000L);
        if (milli != null) {
            usage.put(
                    name,
                    new PodUsage(NOW, Duration.ofSeconds(15), Map.of("c", Map.of("cpu", milli, "memory", milli))));
        }
    }

    private void old(Long milli) {
        pod("Running", "True", Duration.ofHours(1), Duration.ofHours(1), milli);
    }

    private ReplicaCalculator calculator() {
        return new ReplicaCalculator(pods, usage, new Tolerance(0.1, 0.1), NOW);
    }

    private Outcome byShare(int target) throws MetricException {
        return calculator().byUtilization(pods.size(), CPU, target, requests);
    }

    @ParameterizedTest
    @CsvSource({
        // use of each of three pods in thousandths, target in percent, pods then
        "300, 30, 3",
        "330, 30, 3",
        "339, 30, 3",
        "340, 30, 4",
        "600, 30, 6",
        "150, 30, 2",
        "271, 30, 3",
        "269, 30, 3",
        "200, 30, 2",
        "10, 30, 1",
        "1000, 50, 6",
    })
    void useOverTargetTimesPods(long milli, int target, int expected) throws MetricException {
        for (int i = 0; i < 3; i++) {
            old(milli);
        }
        assertThat(byShare(target).replicas()).isEqualTo(expected);
        assertThat(byShare(target).utilization()).isEqualTo((int) (milli / 10));
        assertThat(byShare(target).averageMilli()).isEqualTo(milli);
    }

    @Test
    void aPodThatIsNotMeasuredCountsAsBusyWhenShrinkingAndIdleWhenGrowing() throws MetricException {
        old(100L);
        old(100L);
        old(null);
        assertThat(byShare(50).replicas())
                .isEqualTo(3); // 100 + 100 + 1000 of 3000: 40 of 50 percent, and three pods of it
        pods.clear();
        usage.clear();
        old(900L);
        old(900L);
        old(null);
        assertThat(byShare(50).replicas()).isEqualTo(4); // 900 + 900 + 0 of 3000: 60 of 50 percent
    }

    @Test
    void podsThatAreStillStartingAreReckonedIdleWhenGrowing() throws MetricException {
        old(900L);
        pod("Running", "False", Duration.ofMinutes(1), Duration.ofMinutes(1), 2000L);
        pod("Pending", "False", Duration.ofMinutes(1), Duration.ofMinutes(1), null);
        assertThat(byShare(50).replicas()).isEqualTo(3); // 90 percent would ask for 1.8 of one pod; of three it is 30
        pods.clear();
        usage.clear();
        old(100L);
        pod("Running", "True", Duration.ofMinutes(1), Duration.ofSeconds(5), 2000L);
        assertThat(byShare(50).replicas())
                .isEqualTo(1); // ready for less than was measured: not looked at when shrinking
    }

    @Test
    void memoryIsBelievedFromTheFirst() throws MetricException {
        old(900L);
        pod("Running", "False", Duration.ofMinutes(1), Duration.ofMinutes(1), 900L);
        assertThat(calculator().byValue(2, MEMORY, 450).replicas()).isEqualTo(4);
    }

    @Test
    void failedAndDeletedPodsAreLeftOut() throws MetricException {
        old(500L);
        pod("Failed", "False", Duration.ofHours(1), Duration.ofHours(1), 5000L);
        old(5000L);
        pods.getLast().getMetadata().setDeletionTimestamp(NOW.toString());
        assertThat(byShare(50).replicas()).isEqualTo(3);
        assertThat(calculator().byUtilization(1, CPU, 50, requests).utilization())
                .isEqualTo(50);
    }

    @Test
    void amountsAreComparedWithTheAverage() throws MetricException {
        old(300L);
        old(500L);
        assertThat(calculator().byValue(2, CPU, 200).replicas()).isEqualTo(4);
        assertThat(calculator().byValue(2, CPU, 400).replicas()).isEqualTo(2);
        assertThat(calculator().byValue(2, CPU, 800).replicas()).isEqualTo(1);
    }

    @Test
    void withoutAnyMeasureThereIsNoAnswer() {
        old(null);
        assertThatThrownBy(() -> byShare(50))
                .hasMessage("did not receive metrics for targeted pods (pods might be unready)");
    }

    @Test
    void oneContainerMayBeMeasuredAlone() throws MetricException {
        old(500L);
        assertThat(calculator().byValue(1, new Measured("cpu", "c"), 250).replicas())
                .isEqualTo(2);
        assertThatThrownBy(() -> calculator().byValue(1, new Measured("cpu", "other"), 250))
                .isInstanceOf(MetricException.class);
    }

    @Test
    void eachDirectionMayHaveATolerance() throws MetricException {
        old(600L);
        old(600L);
        ReplicaCalculator patient = new ReplicaCalculator(pods, usage, new Tolerance(0.5, 0), NOW);
        assertThat(patient.byUtilization(2, CPU, 50, requests).replicas()).isEqualTo(2);
        assertThat(patient.byUtilization(2, CPU, 61, requests).replicas()).isEqualTo(2);
        assertThat(patient.byUtilization(3, CPU, 61, requests).replicas()).isEqualTo(2);
    }
}
