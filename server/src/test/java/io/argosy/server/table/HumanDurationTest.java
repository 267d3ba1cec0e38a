package io.argosy.server.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HumanDurationTest {
    @ParameterizedTest
    @CsvSource({
        "PT-3S, <invalid>",
        "PT-1.5S, 0s",
        "PT0S, 0s",
        "PT119S, 119s",
        "PT2M, 2m",
        "PT8M20S, 8m20s",
        "PT10M59S, 10m",
        "PT179M, 179m",
        "PT3H, 3h",
        "PT7H59M, 7h59m",
        "PT8H30M, 8h",
        "PT47H59M, 47h",
        "P2D, 2d",
        "P5DT3H, 5d3h",
        "P8DT20H, 8d",
        "P729D, 729d",
        "P730D, 2y",
        "P731D, 2y1d",
        "P4000D, 10y",
    })
    void agesHaveTwoOrThreeSignificantFigures(String duration, String shown) {
        assertThat(HumanDuration.of(Duration.parse(duration))).isEqualTo(shown);
    }
}
