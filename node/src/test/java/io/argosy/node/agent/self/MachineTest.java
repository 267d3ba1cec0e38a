package io.argosy.node.agent.self;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.argosy.node.agent.eviction.Threshold;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a machine has, and what of it is for pods. */
class MachineTest {
    @TempDir
    Path home;

    private Map<String, BigDecimal> allocatable(List<Threshold> thresholds) {
        return new Machine(home, 10, thresholds, Reserved.NONE).allocatable();
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

    @Test
    void whatIsReservedIsNotForPods() {
        Map<String, BigDecimal> all = allocatable(List.of());
        Reserved reserved = Reserved.parse("cpu=200m,memory=64Mi", "cpu=0.3,memory=32Mi,ephemeral-storage=1Gi");
        Map<String, BigDecimal> left =
                new Machine(home, 10, Threshold.parse("memory.available<4Mi", "", "", ""), reserved).allocatable();
        assertThat(all.get("cpu").subtract(left.get("cpu"))).isEqualByComparingTo("0.5");
        assertThat(all.get("memory").subtract(left.get("memory"))).isEqualByComparingTo("104857600");
        assertThat(all.get("ephemeral-storage").subtract(left.get("ephemeral-storage")))
                .isEqualByComparingTo("1073741824");
        assertThat(left.get("pods")).isEqualTo(all.get("pods"));
        assertThat(new Machine(home, 10, List.of(), Reserved.parse("cpu=100k", ""))
                        .allocatable()
                        .get("cpu"))
                .isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "cpu; malformed pair, expect string=string",
                "pid=100; cannot reserve \"pid\" resource",
                "nvidia.com/gpu=1; cannot reserve \"nvidia.com/gpu\" resource",
                "cpu=-1; resource quantity for \"cpu\" cannot be negative: -1",
                "memory=much; failed to parse quantity \"much\" for \"memory\" resource: quantities must match the"
                        + " regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
            })
    void whatCannotBeReservedIsRefusedInKubeletsWords(String said, String why) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Reserved.parse(said, ""))
                .withMessage(why);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Reserved.parse("", said))
                .withMessage(why);
    }
}
