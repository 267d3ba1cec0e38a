package io.argosy.node.agent.pod;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How the events about images are worded. */
class PodImagesTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0s",
        "7, 7ms",
        "1000, 1s",
        "1200, 1.2s",
        "10000, 10s",
        "59999, 59.999s",
        "60000, 1m0s",
        "75500, 1m15.5s",
        "3602000, 1h0m2s",
        "3660010, 1h1m0.01s"
    })
    void theTimeOfAPullReadsAsInKubeletsEvents(long millis, String words) {
        assertThat(PodImages.words(Duration.ofMillis(millis))).isEqualTo(words);
    }
}
