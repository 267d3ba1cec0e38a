package io.argosy.client.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.metrics.Exposition;
import io.argosy.api.time.VirtualClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a queue tells of itself. */
class QueueMetricsTest {
    private final VirtualClock clock = new VirtualClock(Instant.EPOCH);
    private final WorkQueue<String> queue = new WorkQueue<>(clock);

    private String page() {
        Exposition page = new Exposition(false);
        QueueMetrics.write(page, Map.of("q", queue));
        return new String(page.bytes(), StandardCharsets.UTF_8);
    }

    @Test
    void waitingAndWorkAreTimed() throws InterruptedException {
        queue.add("a");
        queue.add("b");
        clock.advance(Duration.ofMillis(20));
        assertThat(queue.take()).isEqualTo("a");
        clock.advance(Duration.ofSeconds(3));
        assertThat(page())
                .contains("workqueue_adds_total{name=\"q\"} 2\n")
                .contains("workqueue_depth{name=\"q\"} 1\n")
                .contains("workqueue_retries_total{name=\"q\"} 0\n")
                .contains("workqueue_queue_duration_seconds_bucket{name=\"q\",le=\"0.01\"} 0\n")
                .contains("workqueue_queue_duration_seconds_bucket{name=\"q\",le=\"0.1\"} 1\n")
                .contains("workqueue_queue_duration_seconds_sum{name=\"q\"} 0.02\n")
                .contains("workqueue_work_duration_seconds_count{name=\"q\"} 0\n")
                .contains("workqueue_longest_running_processor_seconds{name=\"q\"} 3\n")
                .contains("workqueue_unfinished_work_seconds{name=\"q\"} 3\n");
        queue.addRateLimited("a");
        queue.done("a");
        assertThat(page())
                .contains("workqueue_retries_total{name=\"q\"} 1\n")
                .contains("workqueue_work_duration_seconds_bucket{name=\"q\",le=\"1\"} 0\n")
                .contains("workqueue_work_duration_seconds_bucket{name=\"q\",le=\"10\"} 1\n")
                .contains("workqueue_work_duration_seconds_sum{name=\"q\"} 3\n")
                .contains("workqueue_longest_running_processor_seconds{name=\"q\"} 0\n");
    }

    @Test
    void aKeyThatComesAgainWaitsFromThenOn() throws InterruptedException {
        queue.add("a");
        queue.take();
        queue.add("a");
        clock.advance(Duration.ofSeconds(5));
        queue.done("a");
        queue.take();
        assertThat(page()).contains("workqueue_queue_duration_seconds_sum{name=\"q\"} 5\n");
    }
}
