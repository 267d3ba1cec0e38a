package io.argosy.api.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The two text formats, to the letter. */
class ExpositionTest {
    private static String text(Exposition page) {
        return new String(page.bytes(), StandardCharsets.UTF_8);
    }

    private static Exposition filled(boolean open) {
        Histogram taken = new Histogram(0.5, 2);
        taken.observe(500_000_000);
        taken.observe(1_000_000_000);
        taken.observe(3_000_000_000L);
        return new Exposition(open)
                .counter("made_total", "What was made.")
                .sample(7, "by", "a \"b\" \\c\n")
                .gauge("heat", "How hot.")
                .sample(36.6)
                .histogram("taken_seconds", "How long.")
                .sample(taken, "of", "x");
    }

    @Test
    void prometheusText() {
        assertThat(text(filled(false))).isEqualTo("""
                # HELP made_total What was made.
                # TYPE made_total counter
                made_total{by="a \\"b\\" \\\\c\\n"} 7
                # HELP heat How hot.
                # TYPE heat gauge
                heat 36.6
                # HELP taken_seconds How long.
                # TYPE taken_seconds histogram
                taken_seconds_bucket{of="x",le="0.5"} 1
                taken_seconds_bucket{of="x",le="2"} 2
                taken_seconds_bucket{of="x",le="+Inf"} 3
                taken_seconds_sum{of="x"} 4.5
                taken_seconds_count{of="x"} 3
                """);
    }

    @Test
    void openMetricsNamesCountersWithoutTheirEndingAndSaysWhereItEnds() {
        assertThat(text(filled(true)))
                .startsWith("# HELP made What was made.\n# TYPE made counter\nmade_total{")
                .endsWith("taken_seconds_count{of=\"x\"} 3\n# EOF\n");
    }

    @Test
    void aFamilyStandsOnThePageOnce() {
        Exposition page = new Exposition(false).gauge("heat", "How hot.");
        assertThatThrownBy(() -> page.gauge("heat", "How hot.")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void boundsGrowByTheirFactorInShortNumbers() {
        assertThat(Histogram.exponential(1e-8, 10, 10))
                .containsExactly(1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10);
        assertThat(Histogram.exponential(0.001, 2, 5)).containsExactly(0.001, 0.002, 0.004, 0.008, 0.016);
    }
}
