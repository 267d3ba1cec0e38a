package io.argosy.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.authn.User;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What goes wrong within the server is the log's business; a client learns that it did, and nothing of how. */
class FailureTest {
    private static final class Broken implements HttpHandler {
        @Override
        public boolean tryFast(HttpCall call, HttpReply reply) {
            throw new IllegalStateException("what nobody is to know");
        }

        @Override
        public void handle(HttpCall call, HttpReply reply) {}
    }

    @Test
    void aFailureShowsNothingOfItself() {
        EmbeddedChannel channel = new EmbeddedChannel(
                new HttpServerCodec(), new RequestChannel((connection, headers) -> User.ANONYMOUS, new Broken()));
        channel.writeInbound(Unpooled.copiedBuffer("GET /x HTTP/1.1\r\nHost: h\r\n\r\n", StandardCharsets.US_ASCII));
        StringBuilder answer = new StringBuilder();
        for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
            answer.append(part.toString(StandardCharsets.UTF_8));
            part.release();
        }
        assertThat(answer.toString())
                .startsWith("HTTP/1.1 500")
                .contains("\"reason\":\"InternalError\"", "audit-id: ")
                .doesNotContain("nobody is to know", "Exception", "io.argosy", ".java");
        channel.close();
    }
}
