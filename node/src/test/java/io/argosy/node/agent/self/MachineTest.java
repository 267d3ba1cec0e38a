package io.argosy.node.agent.self;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.node.agent.eviction.Threshold;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a machine has, and what of it is for pods. */
class MachineTest {
    @TempDir
    Path home;

    private Map<String, BigDecimal> allocatable(List<Threshold> thresholds) {
        return new Machine(home, 10, thresholds).allocatable();
    }

    @Test
    void whatMustBeLeftIsNobodysToHave() {
        Map<String, BigDecimal> all = allocatable(List.of());
        Map<String, BigDecimal> hard = allocatable(Threshold.parse(
                "memory.available<64Mi,nodefs.available<50%", "memory.available<1Gi", "memory.available=1m", ""));
        assertThat(all.get("memory").subtract(hard.get("memory")).longValue()).isEqualTo(64 << 20);
        long disk = all.get("ephemeral-storage").longValue();
        assertThat(hard.get("ephemeral-storage").longValue()).isEqualTo(disk - disk / 2);
        assertThat(hard.get("cpu")).isEqualTo(all.get("cpu"));
        assertThat(allocatable(Threshold.parse("memory.available<100000Ti", "", "", ""))
                        .get("memory"))
                .isZero();
    }
}
