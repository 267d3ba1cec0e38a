package io.argosy.node.agent.spec;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.node.runtime.LinuxResources;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a pod as a whole may use. */
class ResourceLimitsTest {
    /** Where something is limited, the overhead comes on top; where it is not, it limits nothing. */
    @ParameterizedTest
    @CsvSource({
        "100m, 64Mi, 0, 0, 102, 10000, 67108864",
        "100m, 64Mi, 250m, 120Mi, 358, 35000, 192937984",
        "0, 0, 250m, 120Mi, 256, -1, -1",
        "0, 64Mi, 250m, 120Mi, 256, -1, 192937984",
        "0, 0, 0, 0, 2, -1, -1"
    })
    void aPodsLimitsIncludeItsOverhead(
            String cpu, String memory, String moreCpu, String moreMemory, long shares, long quota, long most) {
        LinuxResources limits = ResourceLimits.ofPod(pod(amounts(cpu, memory), amounts(moreCpu, moreMemory)));

        assertThat(limits.cpuShares().orElse(-1)).isEqualTo(shares);
        assertThat(limits.cpuQuota().orElse(-1)).isEqualTo(quota);
        assertThat(limits.memoryLimit().orElse(-1)).isEqualTo(most);
    }

    private static Map<String, Quantity> amounts(String cpu, String memory) {
        return Map.of("cpu", new Quantity(cpu), "memory", new Quantity(memory));
    }

    private static Pod pod(Map<String, Quantity> limits, Map<String, Quantity> overhead) {
        return new PodBuilder()
                .withNewSpec()
                .withOverhead(overhead)
                .addNewContainer()
                .withNewResources()
                .withLimits(limits)
                .endResources()
                .endContainer()
                .endSpec()
                .build();
    }
}
