package io.argosy.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.Clock;
import io.argosy.server.TestCertificates;
import io.argosy.server.authn.User;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that do not read what they asked for. */
class StallTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int PIECE = 100_000;

    private final EmbeddedChannel channel = new EmbeddedChannel();

    StallTest() {
        channel.freezeTime();
        for (int i = 0; i < 3; i++) {
            channel.write(Unpooled.wrappedBuffer(new byte[PIECE])); // which nobody reads
        }
        channel.unsafe().outboundBuffer().addFlush();
    }

    private void pass(Duration time) {
        channel.advanceTimeBy(time.toSeconds(), TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
    }

    @Test
    void whoTakesNothingIsLetGo() {
        try (Stall stall = Stall.of(channel, PATIENCE)) {
            pass(PATIENCE.minusSeconds(1));
            assertThat(channel.isOpen()).isTrue();
            pass(Duration.ofSeconds(1));
            assertThat(channel.isOpen()).isFalse();
        }
    }

    @Test
    void whoTakesALittleNowAndThenIsNot() {
        try (Stall stall = Stall.of(channel, PATIENCE)) {
            for (int i = 0; i < 2; i++) {
                channel.unsafe().outboundBuffer().remove();
                pass(PATIENCE);
                assertThat(channel.isOpen()).isTrue();
            }
            pass(PATIENCE);
            assertThat(channel.isOpen()).isFalse();
        }
    }

    @Test
    void whatIsOverIsNotLookedAt() {
        Stall.of(channel, PATIENCE).close();
        pass(PATIENCE.multipliedBy(3));
        assertThat(channel.isOpen()).isTrue();
    }

    /** Sends for ever, or one long answer; what it learns of the end of its client it tells. */
    private record Flood(CountDownLatch ended) implements HttpHandler {
        @Override
        public boolean tryFast(HttpCall call, HttpReply reply) {
            return false;
        }

        @Override
        public void handle(HttpCall call, HttpReply reply) throws InterruptedException {
            reply.onGone(ended::countDown);
            if (call.path().equals("/list")) {
                reply.send(200, Map.of(), List.of(), List.of(new byte[64 << 20]));
                return;
            }
            try (HttpReply.Stream stream = reply.stream(200, Map.of())) {
                stream.mustBeRead();
                boolean there = true;
                while (there) {
                    there = stream.write(new byte[PIECE]);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/watch", "/list"})
    void whoNeverReadsIsLetGo(String path) throws Exception {
        TestCertificates certificates = new TestCertificates();
        SslContext tls = certificates.serverTls();
        CountDownLatch ended = new CountDownLatch(1);
        try (HttpServer server = new HttpServer(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        () -> tls,
                        (connection, headers) -> User.ANONYMOUS,
                        new Flood(ended),
                        Clock.system(),
                        10,
                        Duration.ofMillis(20));
                SSLSocket socket = (SSLSocket) certificates
                        .clientTls("CN=somebody")
                        .getSocketFactory()
                        .createSocket(
                                server.address().getAddress(), server.address().getPort())) {
            socket.getOutputStream()
                    .write(("GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }
}
