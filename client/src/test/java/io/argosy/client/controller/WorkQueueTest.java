package io.argosy.client.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.VirtualClock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class WorkQueueTest {
    private final VirtualClock clock = new VirtualClock(Instant.EPOCH);
    private final WorkQueue<String> queue = new WorkQueue<>(clock);

    @Test
    void aKeyAddedTwiceIsQueuedOnce() {
        queue.add("a");
        queue.add("a");
        queue.add("b");
        assertThat(queue.counts().depth()).isEqualTo(2);
        assertThat(queue.counts().adds()).isEqualTo(2);
    }

    @Test
    void aKeyAddedDuringItsWorkComesAgainAfterwards() throws InterruptedException {
        queue.add("a");
        assertThat(queue.take()).isEqualTo("a");
        queue.add("a");
        assertThat(queue.counts().depth()).isZero();
        assertThat(queue.idle()).isFalse();
        queue.done("a");
        assertThat(queue.take()).isEqualTo("a");
        queue.done("a");
        assertThat(queue.idle()).isTrue();
    }

    @Test
    void aDelayedKeyComesInItsTimeAndTheShortestDelayCounts() {
        queue.addAfter("a", Duration.ofSeconds(10));
        queue.addAfter("a", Duration.ofSeconds(5));
        queue.addAfter("a", Duration.ofSeconds(20));
        assertThat(queue.idle()).isTrue();
        clock.advance(Duration.ofSeconds(4));
        assertThat(queue.counts().depth()).isZero();
        clock.advance(Duration.ofSeconds(1));
        assertThat(queue.counts().depth()).isEqualTo(1);
        assertThat(queue.counts().delayed()).isZero();
    }

    @Test
    void failuresDoubleTheDelayUpToItsLimitUntilForgotten() {
        assertThat(delayOf("a")).isEqualTo(Duration.ofMillis(5));
        assertThat(delayOf("a")).isEqualTo(Duration.ofMillis(10));
        assertThat(delayOf("a")).isEqualTo(Duration.ofMillis(20));
        for (int i = 0; i < 20; i++) {
            delayOf("a");
        }
        assertThat(delayOf("a")).isEqualTo(Duration.ofSeconds(1000));
        queue.forget("a");
        assertThat(delayOf("a")).isEqualTo(Duration.ofMillis(5));
    }

    @Test
    void closingReleasesTheTakers() throws InterruptedException {
        Thread taker = Thread.ofVirtual().start(() -> {
            try {
                assertThat(queue.take()).isNull();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        queue.close();
        taker.join();
    }

    private Duration delayOf(String key) {
        queue.addRateLimited(key);
        Duration delay = clock.untilNext().orElseThrow();
        clock.advance(delay);
        return delay;
    }
}
