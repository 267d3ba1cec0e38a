package io.argosy.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SamplesTest {
    @Test
    void medianIsTheMiddleOneWhateverTheOrder() {
        assertThat(Samples.of(9, 1, 5).median()).isEqualTo(5);
    }

    @Test
    void percentileIsASampleThatWasMeasured() {
        Samples hundred = Samples.of(LongStream.rangeClosed(1, 100).toArray());
        assertThat(hundred.percentile(99)).isEqualTo(99);
        assertThat(hundred.percentile(100)).isEqualTo(100);
        assertThat(Samples.of(7).percentile(1)).isEqualTo(7);
    }

    @Test
    void nothingMeasuredHasNoMedian() {
        assertThatThrownBy(() -> Samples.of().median()).hasMessage("nothing was measured");
    }

    @Test
    void figuresAreWrittenInTheUnitPeopleCompareThemIn() {
        assertThat(Samples.of(800_000_000, 900_000_000, 1_000_000_000).spread()).isEqualTo("0.90 s (0.80 s to 1.00 s)");
        assertThat(Samples.of(1_500_000, 12_000_000).percentiles()).isEqualTo("p50 1.50 ms, p99 12 ms");
    }
}
