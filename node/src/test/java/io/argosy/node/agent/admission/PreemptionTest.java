package io.argosy.node.agent.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.node.agent.admission.Obstacle.Shortage;
import io.argosy.node.agent.model.PodFacts;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PreemptionTest {
    private static final Pod CRITICAL = pod("critical", 2_000_000_000, "", "");
    private static final List<Pod> OTHERS = List.of(
            pod("best", 0, "", ""),
            pod("bursty-small", 0, "100m/", "100Mi/"),
            pod("bursty-big", 0, "400m/", "400Mi/"),
            pod("sure-small", 0, "200m/200m", "200Mi/200Mi"),
            pod("sure-big", 0, "800m/800m", "800Mi/800Mi"),
            pod("system", 2_000_000_000, "900m/", "900Mi/"));

    /** Amounts as request/limit. */
    private static Pod pod(String name, Integer priority, String cpu, String memory) {
        PodBuilder pod = new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("default")
                .withUid(name)
                .endMetadata()
                .withNewSpec()
                .withPriority(priority)
                .addNewContainer()
                .withName("c")
                .withNewResources()
                .endResources()
                .endContainer()
                .endSpec();
        Map.of("cpu", cpu, "memory", memory).forEach((resource, amounts) -> {
            String[] parts = amounts.split("/");
            var resources = pod.editSpec().editContainer(0).editResources();
            if (!parts[0].isEmpty()) {
                resources.addToRequests(resource, new Quantity(parts[0]));
            }
            if (parts.length > 1) {
                resources.addToLimits(resource, new Quantity(parts[1]));
            }
            resources.endResources().endContainer().endSpec();
        });
        return pod.build();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        cpu=50               | bursty-small
        cpu=100              | bursty-small
        cpu=101              | bursty-big
        cpu=450              | bursty-big,bursty-small
        cpu=600              | bursty-big,sure-small
        cpu=700              | bursty-big,bursty-small,sure-small
        cpu=1200             | bursty-big,sure-big
        cpu=50 memory=200Mi  | bursty-big
        pods=1               | best
        pods=2 cpu=400       | best,bursty-big
        """)
    void theLowestClassGoesFirstAndOfItAsFewAndAsSmallAsWillDo(String shortages, String victims) {
        List<Shortage> lacking = Stream.of(shortages.split(" "))
                .map(text -> text.split("="))
                .map(parts -> new Shortage(
                        parts[0],
                        Quantity.getAmountInBytes(new Quantity(parts[1])).longValue()))
                .toList();

        Preemption preemption = Preemption.of(CRITICAL, OTHERS, lacking);

        assertThat(preemption.problem()).isEmpty();
        assertThat(preemption.victims()).extracting(PodFacts::name).containsExactly(victims.split(","));
    }

    @Test
    void nobodyGoesWhereAllTogetherWouldNotBeEnough() {
        Preemption preemption = Preemption.of(
                CRITICAL,
                OTHERS,
                List.of(new Shortage("cpu", 1600), new Shortage("memory", 1), new Shortage("x/y", 2)));

        assertThat(preemption.victims()).isEmpty();
        assertThat(preemption.problem())
                .contains(
                        "no set of running pods found to reclaim resources: [(res: cpu, q: 100), (res: x/y, q: 2), ]");
    }

    @Test
    void ofCriticalPodsTheOneOfHigherPriorityStays() {
        Pod higher = pod("higher", 2_000_001_000, "", "");
        Pod system = OTHERS.getLast();
        List<Shortage> lacking = List.of(new Shortage("cpu", 10));

        assertThat(Preemption.of(higher, List.of(system), lacking).victims()).containsExactly(system);
        assertThat(Preemption.of(CRITICAL, List.of(system), lacking).problem()).isPresent();
    }
}
