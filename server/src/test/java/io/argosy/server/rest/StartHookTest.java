package io.argosy.server.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.VirtualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

/** Checks of health that take their time. */
class StartHookTest {
    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-01-01T00:00:00Z"));

    @Test
    void aStepMayTakeAWhileButNotForEver() {
        StartHook hook = new StartHook(() -> {}, clock);
        assertThat(hook.fault()).isEmpty();
        clock.advance(Duration.ofSeconds(31));
        assertThat(hook.fault()).isEqualTo("not finished");
        hook.run();
        assertThat(hook.fault()).isEmpty();
    }

    @Test
    void aLogThatNobodyReadsIsSeen() throws InterruptedException {
        Semaphore readers = new Semaphore(0);
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch out = new CountDownLatch(1);
        LogFlush log = new LogFlush(clock, () -> {
            writing.countDown();
            readers.acquireUninterruptibly();
            out.countDown();
        });
        assertThat(log.flows()).isTrue();
        writing.await();
        clock.advance(Duration.ofSeconds(119));
        assertThat(log.flows()).isTrue();
        clock.advance(Duration.ofSeconds(1));
        assertThat(log.flows()).isFalse();
        readers.release(2);
        out.await();
        while (!log.flows()) {
            Thread.onSpinWait();
        }
    }
}
