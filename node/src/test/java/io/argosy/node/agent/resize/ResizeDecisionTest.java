package io.argosy.node.agent.resize;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.node.agent.resize.Verdict.Answer;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who gets what of a node when pods ask for more, decided without a node. */
class ResizeDecisionTest {
    private static final Map<String, BigDecimal> NODE =
            Map.of("cpu", BigDecimal.TWO, "memory", BigDecimal.valueOf(1000));

    private final Allocations allocations = new Allocations(NODE);
    private final List<String> answers = new ArrayList<>();

    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', textBlock = """
            1500, 100,  500, 100, GRANTED,    ""
            1500, 100,  501, 100, DEFERRED,   "Node didn't have enough resource: cpu, requested: 1500, used: 501, capacity: 2000"
            1500, 901,  500, 100, DEFERRED,   "Node didn't have enough resource: memory, requested: 901, used: 100, capacity: 1000"
            2001, 100,  0,   0,   INFEASIBLE, "Node didn't have enough capacity: cpu, requested: 2001, capacity: 2000"
            2001, 1001, 0,   0,   INFEASIBLE, "Node didn't have enough capacity: memory, requested: 1001, capacity: 1000"
            2000, 1000, 0,   0,   GRANTED,    ""
            0,    0,    3000, 9,  GRANTED,    ""
            """)
    void aNodeGivesWhatItHasAndSaysWhatItLacks(
            long cpu, long memory, long usedCpu, long usedMemory, Answer answer, String message) {
        assertThat(Verdict.of(new PodRequests(cpu, memory), new PodRequests(usedCpu, usedMemory), NODE))
                .isEqualTo(new Verdict(answer, message));
    }

    private static ResourceRequirements cpu(String amount) {
        return new ResourceRequirementsBuilder()
                .addToRequests("cpu", new Quantity(amount))
                .build();
    }

    private static Container container(String name, String cpu, boolean sidecar) {
        return new ContainerBuilder()
                .withName(name)
                .withResources(cpu(cpu))
                .withRestartPolicy(sidecar ? "Always" : null)
                .build();
    }

    private static PodBuilder pod(String name, String cpu) {
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withUid(name)
                .endMetadata()
                .withNewSpec()
                .withContainers(container("web", cpu, false))
                .endSpec();
    }

    @Test
    void aPodTakesWhatRunsAtOnceOrItsLargestMomentAndItsOverhead() {
        PodBuilder pod = pod("a", "100m")
                .editSpec()
                .withInitContainers(
                        container("first", "150m", false),
                        container("beside", "200m", true),
                        container("last", "300m", false))
                .endSpec();
        assertThat(PodRequests.of(pod.build()).cpu()).isEqualTo(500);
        assertThat(PodRequests.of(pod.editSpec()
                                .addToOverhead("cpu", new Quantity("10m"))
                                .endSpec()
                                .build())
                        .cpu())
                .isEqualTo(510);
        assertThat(PodRequests.of(pod.editSpec()
                                .withResources(cpu("700m"))
                                .endSpec()
                                .build())
                        .cpu())
                .isEqualTo(710);
    }

    private void ask(PodBuilder pod) {
        Pod wanted = pod.build();
        allocations.ask(wanted, verdict -> answers.add(wanted.getMetadata().getName() + " " + verdict.answer()));
    }

    @Test
    void nobodyIsAnsweredBeforeAllAreKnown() {
        allocations.hold(pod("a", "1").build());
        ask(pod("a", "2"));
        assertThat(answers).isEmpty();
        allocations.hold(pod("b", "1").build());
        allocations.open();
        assertThat(answers).containsExactly("a DEFERRED");
    }

    @Test
    void whatIsDeferredIsGrantedWhenAnotherPodGoesAndSaidOnce() {
        allocations.open();
        allocations.hold(pod("a", "1").build());
        allocations.hold(pod("b", "500m").build());
        allocations.hold(pod("c", "500m").build());
        ask(pod("a", "1500m"));
        allocations.release("unknown");
        assertThat(answers).containsExactly("a DEFERRED");
        allocations.release("b");
        assertThat(answers).containsExactly("a DEFERRED", "a GRANTED");
    }

    @Test
    void aPodThatShrinksCountsInFullUntilItHas() {
        allocations.open();
        allocations.hold(pod("a", "1").build());
        allocations.hold(pod("b", "1").build());
        ask(pod("a", "1500m"));
        ask(pod("b", "500m"));
        assertThat(answers).containsExactly("a DEFERRED", "b GRANTED");
        allocations.hold(pod("b", "500m").build());
        assertThat(answers).endsWith("a GRANTED");
    }

    @Test
    void whoShrinksIsFirstThenPriorityThenGuaranteedThenWhoWaitedLonger() {
        for (String name : List.of("late", "early", "sure", "high", "less")) {
            allocations.hold(pod(name, "400m").build());
        }
        ask(pod("early", "500m"));
        ask(pod("late", "500m"));
        ask(pod("sure", "500m").withNewStatus().withQosClass("Guaranteed").endStatus());
        ask(pod("high", "500m").editSpec().withPriority(10).endSpec());
        ask(pod("less", "300m"));
        allocations.open();
        assertThat(answers)
                .containsExactly("less GRANTED", "high DEFERRED", "sure DEFERRED", "early DEFERRED", "late DEFERRED");
        answers.clear();
        allocations.hold(pod("less", "300m").build());
        assertThat(answers).containsExactly("high GRANTED");
    }

    @Test
    void whatCanNeverBeIsNotTriedAgainAndWhatIsTakenBackNeither() {
        allocations.open();
        allocations.hold(pod("a", "1").build());
        allocations.hold(pod("b", "1").build());
        ask(pod("a", "3"));
        ask(pod("b", "2"));
        allocations.withdraw("b");
        allocations.release("a");
        assertThat(answers).containsExactly("a INFEASIBLE", "b DEFERRED");
    }

    @Test
    void anAllocationStandsInForWhatThePodAsks() {
        Pod before = pod("a", "1").build();
        Pod after = pod("a", "1500m").build();
        Allocation granted = Allocation.of(before);
        assertThat(granted.satisfies(after)).isFalse();
        assertThat(granted.in(after).getSpec()).isEqualTo(before.getSpec());
        assertThat(granted.in(before)).isSameAs(before);
        assertThat(Allocation.of(pod("a", "1000m").build()).satisfies(before)).isTrue();
    }

    @Test
    void anAgentThatComesBackReadsWhatWasGrantedInTheStatus() {
        Pod pod = pod("a", "1500m")
                .withNewStatus()
                .addNewContainerStatus()
                .withName("web")
                .withNewState()
                .withNewRunning()
                .endRunning()
                .endState()
                .withResources(cpu("1"))
                .endContainerStatus()
                .endStatus()
                .build();
        assertThat(Allocation.told(pod).of("web")).contains(cpu("1"));
    }

    @Test
    void aLimitIsNotSetBelowWhatIsInUse() {
        OptionalLong none = OptionalLong.empty();
        OptionalLong ten = OptionalLong.of(10);
        OptionalLong twenty = OptionalLong.of(20);
        assertThat(new MemoryCheck()
                        .pod(ten, twenty, none)
                        .container("a", twenty, ten, OptionalLong.of(9))
                        .container("b", ten, none, none)
                        .problem())
                .isEmpty();
        assertThat(new MemoryCheck().container("a", twenty, ten, ten).problem())
                .contains("cannot decrease memory limits: attempting to set container \"a\" memory limit (10) below"
                        + " current usage (10)");
        assertThat(new MemoryCheck()
                        .pod(none, ten, OptionalLong.of(11))
                        .container("a", none, ten, none)
                        .problem())
                .contains("cannot decrease memory limits: [attempting to set pod memory limit (10) below current usage"
                        + " (11), missing container \"a\" memory usage]");
    }

    @Test
    void eventsNameTheResources() {
        Pod pod = pod("a", "100m")
                .editSpec()
                .withInitContainers(container("init", "50m", false))
                .addNewContainer()
                .withName("none")
                .endContainer()
                .endSpec()
                .build();
        assertThat(ResizeMessages.of("Pod resize Deferred", pod, 3, "no room"))
                .isEqualTo("Pod resize Deferred: {\"initContainers\":[{\"name\":\"init\",\"resources\":{\"requests\":"
                        + "{\"cpu\":\"50m\"}}}],\"containers\":[{\"name\":\"web\",\"resources\":{\"requests\":"
                        + "{\"cpu\":\"100m\"}}},{\"name\":\"none\",\"resources\":{}}],\"generation\":3,"
                        + "\"error\":\"no room\"}");
    }
}
