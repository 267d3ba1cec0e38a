package io.argosy.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.authn.User;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Clients that keep the server waiting, on a clock of the test's own. */
class SlownessTest {
    private final EmbeddedChannel channel = new EmbeddedChannel();

    SlownessTest() {
        channel.freezeTime();
        channel.pipeline().addLast("slowness", new Slowness());
        channel.pipeline().addLast("http", new HttpServerCodec());
        channel.pipeline().addLast("requests", new RequestChannel((connection, headers) -> User.ANONYMOUS, new Echo()));
    }

    /** Answers at once, or never where the path says so. */
    private static final class Echo implements HttpHandler {
        @Override
        public boolean tryFast(HttpCall call, HttpReply reply) {
            if (!call.path().equals("/never")) {
                reply.send(200, "text/plain", call.body());
            }
            return true;
        }

        @Override
        public void handle(HttpCall call, HttpReply reply) {
            throw new IllegalStateException("everything is answered at once");
        }
    }

    private void send(String text) {
        channel.writeInbound(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII));
    }

    private void pass(int seconds) {
        channel.advanceTimeBy(seconds, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
    }

    @Test
    void whoNeverSpeaksIsCutOff() {
        pass(29);
        assertThat(channel.isOpen()).isTrue();
        pass(2);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void whoTricklesHeadersIsCutOff() {
        send("GET / HTTP/1.1\r\n");
        for (int i = 0; i < 15 && channel.isOpen(); i++) {
            pass(3);
            if (channel.isOpen()) {
                send("X-" + i + ": y\r\n");
            }
        }
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void whoTricklesABodyIsCutOff() {
        send("POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\n");
        for (int i = 0; i < 15 && channel.isOpen(); i++) {
            pass(3);
            if (channel.isOpen()) {
                send("x");
            }
        }
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void whoWaitsForAnAnswerMayWait() {
        send("GET /never HTTP/1.1\r\n\r\n");
        pass(10_000);
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void aConnectionIsKeptForAWhileBetweenRequests() {
        for (int i = 0; i < 5; i++) {
            send("GET / HTTP/1.1\r\n\r\n");
            pass(200);
            assertThat(channel.isOpen()).isTrue();
        }
        pass(101);
        assertThat(channel.isOpen()).isFalse();
    }
}
