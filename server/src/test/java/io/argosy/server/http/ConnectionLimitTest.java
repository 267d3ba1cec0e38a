package io.argosy.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.Clock;
import io.argosy.server.TestCertificates;
import io.argosy.server.authn.User;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;

/** So many clients at once and no more: who is one too many is sent away, and who is there goes on. */
class ConnectionLimitTest {
    private static final int LIMIT = 3;

    private static final class Greeting implements HttpHandler {
        @Override
        public boolean tryFast(HttpCall call, HttpReply reply) {
            reply.send(200, "text/plain", new byte[] {'x'});
            return true;
        }

        @Override
        public void handle(HttpCall call, HttpReply reply) {
            throw new IllegalStateException("everything is answered at once");
        }
    }

    private static boolean answers(SSLSocket socket) {
        try {
            socket.setSoTimeout(30_000);
            socket.getOutputStream()
                    .write("GET / HTTP/1.1\r\nHost: h\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            byte[] buffer = new byte[4096];
            return socket.getInputStream().read(buffer) > 0;
        } catch (IOException sentAway) {
            return false;
        }
    }

    @Test
    void whoIsOneTooManyIsSentAway() throws Exception {
        TestCertificates certificates = new TestCertificates();
        SslContext tls = certificates.serverTls();
        SSLContext client = certificates.clientTls("CN=somebody");
        List<SSLSocket> sockets = new ArrayList<>();
        try (HttpServer server = new HttpServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                () -> tls,
                (connection, headers) -> User.ANONYMOUS,
                new Greeting(),
                Clock.system(),
                LIMIT,
                Stall.PATIENCE)) {
            for (int i = 0; i < LIMIT; i++) {
                sockets.add(connect(client, server));
                assertThat(answers(sockets.getLast())).isTrue();
            }
            try (SSLSocket more = connect(client, server)) {
                assertThat(answers(more)).isFalse();
            }
            assertThat(sockets).allMatch(ConnectionLimitTest::answers);
            sockets.removeLast().close();
            boolean let = false;
            while (!let) { // when the server has seen it go
                SSLSocket next = connect(client, server);
                let = answers(next);
                next.close();
            }
        } finally {
            for (SSLSocket socket : sockets) {
                socket.close();
            }
        }
    }

    private static SSLSocket connect(SSLContext client, HttpServer server) throws IOException {
        return (SSLSocket) client.getSocketFactory()
                .createSocket(server.address().getAddress(), server.address().getPort());
    }
}
