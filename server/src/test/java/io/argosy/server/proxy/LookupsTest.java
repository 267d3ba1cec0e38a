package io.argosy.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Names of hosts, where the resolver takes its time. */
@Timeout(60)
class LookupsTest {
    private static final long LONG = 60_000;

    @Test
    void whoHasNoMoreTimeDoesNotWaitForAResolver() throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        Lookups lookups = new Lookups((host, port) -> {
            asked.incrementAndGet();
            try {
                answered.await();
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
            }
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        });
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> lookups.within(1, "hook.example.com", 443))
                    .isInstanceOf(IOException.class)
                    .hasMessage("context deadline exceeded");
        }
        answered.countDown();
        assertThat(lookups.within(LONG, "hook.example.com", 443).getPort()).isEqualTo(443);
        assertThat(asked.get()).as("one question for all who wait").isBetween(1, 2);
    }

    @Test
    void aHostThatIsNotThereIsSaidToBeSo() {
        Lookups lookups = new Lookups((host, port) -> {
            throw new IOException("dial tcp: lookup " + host + ": no such host");
        });
        assertThatThrownBy(() -> lookups.within(LONG, "nowhere.invalid", 443))
                .hasMessage("dial tcp: lookup nowhere.invalid: no such host");
    }
}
