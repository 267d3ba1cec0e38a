package io.argosy.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TableTest {
    @Test
    void columnsAreAsWideAsTheirWidestCell() {
        assertThat(Table.print(List.of(new Row("GET", "40,000/s", ">= 34,000/s"), Row.of("memory afterwards", "9 MB"))))
                .isEqualTo("""
                    work               Argosy    goal
                    -----------------  --------  ----
                    GET                40,000/s  >= 34,000/s
                    memory afterwards  9 MB
                    """);
    }

    @Test
    void kubernetesAndTheRatioHaveColumnsIfItWasMeasured() {
        assertThat(Table.print(List.of(
                        new Row("GET", "3,400/s", "40,000/s", "12 times as fast", ">= 34,000/s"),
                        Row.of("start", "0.80 s"))))
                .isEqualTo("""
                    work   Kubernetes  Argosy    ratio             goal
                    -----  ----------  --------  ----------------  ----
                    GET    3,400/s     40,000/s  12 times as fast  >= 34,000/s
                    start              0.80 s
                    """);
    }
}
