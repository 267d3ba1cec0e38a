package io.argosy.node.agent.eviction;

import static io.argosy.node.agent.eviction.Uses.disk;
import static io.argosy.node.agent.eviction.Uses.memory;
import static io.argosy.node.agent.eviction.Uses.pids;
import static io.argosy.node.agent.eviction.Uses.pod;
import static io.argosy.node.agent.eviction.Uses.requesting;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.node.agent.admission.Rank;
import io.argosy.node.agent.stats.PodUse;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who has to go first, and in which words. */
class VictimsTest {
    private static List<String> order(Signal signal, PodUse... uses) {
        return Victims.ranked(signal, List.of(uses)).stream()
                .map(use -> use.pod().getMetadata().getName())
                .toList();
    }

    @Test
    void memoryTakesThoseAboveTheirRequestThenTheLeastImportantThenTheLargest() {
        assertThat(order(
                        Signal.MEMORY,
                        memory(requesting(pod("within", -5), "memory", "1Gi"), 900),
                        memory(requesting(pod("above", 10), "memory", "10Mi"), 50),
                        memory(pod("small", 0), 20),
                        memory(pod("large", 0), 300),
                        memory(requesting(pod("important", 1000), "memory", "10Mi"), 800)))
                .containsExactly("large", "small", "above", "important", "within");
    }

    @Test
    void sidecarsAndWhatThePodAsksForAsAWholeCountForItsRequest() {
        PodBuilder served = requesting(pod("served", 0), "memory", "10Mi")
                .editSpec()
                .addNewInitContainer()
                .withName("side")
                .withRestartPolicy("Always")
                .withNewResources()
                .addToRequests("memory", new Quantity("40Mi"))
                .endResources()
                .endInitContainer()
                .endSpec();
        PodBuilder whole = pod("whole", 0)
                .editSpec()
                .withNewResources()
                .addToRequests("memory", new Quantity("50Mi"))
                .endResources()
                .endSpec();
        assertThat(order(Signal.MEMORY, memory(served, 45), memory(whole, 49), memory(pod("none", 0), 1)))
                .first()
                .isEqualTo("none");
    }

    @Test
    void theDiskTakesThoseWithMoreThanTheyAskedFor() {
        assertThat(order(
                        Signal.NODE_FS,
                        disk(requesting(pod("within", 0), "ephemeral-storage", "1Gi"), 900),
                        disk(pod("small", 0), 1),
                        disk(pod("large", 0), 100),
                        disk(pod("dear", 5), 500)))
                .containsExactly("large", "small", "dear", "within");
    }

    @Test
    void processesAreCountedAfterPriorities() {
        assertThat(order(Signal.PID, pids(pod("few", 0), 2), pids(pod("many", 0), 500), pids(pod("dear", 7), 9000)))
                .containsExactly("many", "few", "dear");
    }

    @ParameterizedTest
    @CsvSource({"0, false", "1000000000, false", "2000000000, true", "2000001000, true"})
    void whatTheClusterStandsOnStays(int priority, boolean critical) {
        assertThat(Rank.critical(pod("p", priority).build())).isEqualTo(critical);
    }

    @Test
    void aPodOfTheNodesOwnManifestsStays() {
        PodBuilder pod = pod("p", 0)
                .editMetadata()
                .addToAnnotations("kubernetes.io/config.source", "file")
                .endMetadata();
        assertThat(Rank.critical(pod.build())).as("a pod that only says so").isFalse();
        pod.editMetadata().addToAnnotations("kubernetes.io/config.hash", "p").endMetadata();
        assertThat(Rank.critical(pod.build())).isTrue();
    }

    @Test
    void theMessageTellsWhatWasShortAndWhoUsedIt() {
        Threshold threshold =
                Threshold.parse("memory.available<100Mi", "", "", "").getFirst();
        assertThat(Victims.message(
                        threshold,
                        new Signal.Observation(50 << 20, 1L << 30),
                        memory(requesting(pod("p", 0), "memory", "10Mi"), 50)))
                .isEqualTo("The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. "
                        + "Container web was using 50Mi, request is 10Mi, has larger consumption of memory. ");
    }
}
