package io.argosy.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections to ports of a pod: over SPDY, over SPDY inside a WebSocket, and over numbered streams in a WebSocket. */
@Timeout(120)
class PortForwardTest {
    private static StreamServer server;
    private static TcpPort echo;
    private static TcpPort counter;

    @BeforeAll
    static void start() throws Exception {
        server = new StreamServer(new LocalGateway());
        echo = new TcpPort(socket -> socket.getInputStream().transferTo(socket.getOutputStream()));
        counter = new TcpPort(socket -> {
            long count = socket.getInputStream().transferTo(OutputStream.nullOutputStream());
            socket.getOutputStream().write(Long.toString(count).getBytes(StandardCharsets.US_ASCII));
        });
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
        echo.close();
        counter.close();
    }

    @Test
    void spdyForwardsSeveralConnectionsToSeveralPorts() throws Exception {
        try (var upgrade = RawUpgrade.spdy(server, "portforward", "portforward.k8s.io");
                var client = upgrade.speakSpdy()) {
            assertThat(upgrade.status()).isEqualTo(101);
            converseOn(client);
        }
    }

    @Test
    void spdyInsideAWebSocketDoesTheSame() throws Exception {
        List<String> headers = List.of(
                "Connection: Upgrade",
                "Upgrade: websocket",
                "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                "Sec-WebSocket-Protocol: SPDY/3.1+portforward.k8s.io");
        try (var upgrade = new RawUpgrade(server, "GET", "portforward", headers);
                var client = upgrade.speakSpdyInWebSocket()) {
            assertThat(upgrade.status()).isEqualTo(101);
            assertThat(upgrade.header("Sec-WebSocket-Protocol")).isEqualTo("SPDY/3.1+portforward.k8s.io");
            converseOn(client);
        }
    }

    private static void converseOn(SpdyClient client) throws Exception {
        Pair first = new Pair(client, echo.port(), "0");
        Pair second = new Pair(client, echo.port(), "1");
        Pair counting = new Pair(client, counter.port(), "2");
        client.send(first.data, "one");
        client.send(second.data, "two");
        client.awaitText(first.data, "one");
        client.awaitText(second.data, "two");
        client.end(first.data);
        assertThat(client.textToTheEnd(first.data)).isEqualTo("one");
        assertThat(client.textToTheEnd(first.error)).isEmpty();
        // an answer that comes after the end of the question
        client.send(counting.data, "12345");
        client.end(counting.data);
        assertThat(client.textToTheEnd(counting.data)).isEqualTo("5");
        byte[] much = new byte[4 << 20];
        new Random(1).nextBytes(much);
        Pair third = new Pair(client, echo.port(), "3");
        for (int at = 0; at < much.length; at += 1 << 16) {
            client.send(third.data, java.util.Arrays.copyOfRange(much, at, at + (1 << 16)));
        }
        client.end(third.data);
        assertThat(client.bytesToTheEnd(third.data)).isEqualTo(much);
        client.send(second.data, " still there");
        client.awaitText(second.data, "two still there");
    }

    @Test
    void noEndIsLostOverManyShortConnections() throws Exception {
        try (var upgrade = RawUpgrade.spdy(server, "portforward", "portforward.k8s.io");
                var client = upgrade.speakSpdy()) {
            for (int i = 0; i < 300; i++) {
                Pair pair = new Pair(client, echo.port(), Integer.toString(i));
                client.send(pair.data, "x");
                client.end(pair.data);
                assertThat(client.textToTheEnd(pair.data)).isEqualTo("x");
                assertThat(client.textToTheEnd(pair.error)).isEmpty();
            }
        }
    }

    @Test
    void refusedConnectionsAreExplained() throws Exception {
        int nobody;
        try (ServerSocket gone = new ServerSocket(0)) {
            nobody = gone.getLocalPort();
        }
        try (var upgrade = RawUpgrade.spdy(server, "portforward", "portforward.k8s.io");
                var client = upgrade.speakSpdy()) {
            Pair pair = new Pair(client, nobody, "0");
            assertThat(client.textToTheEnd(pair.error))
                    .startsWith("error forwarding port " + nobody + " to pod box, uid u1: ");
            assertThat(client.bytesToTheEnd(pair.data)).isEmpty();
            client.awaitReset(client.open("streamtype", "error", "port", "0", "requestid", "1"));
            client.awaitReset(client.open("streamtype", "other", "port", "80", "requestid", "2"));
        }
    }

    @Test
    void clientsWithoutRequestNumbersAreUnderstood() throws Exception {
        try (var upgrade = RawUpgrade.spdy(server, "portforward", "portforward.k8s.io");
                var client = upgrade.speakSpdy()) {
            client.open("streamtype", "error", "port", Integer.toString(echo.port()));
            int data = client.open("streamtype", "data", "port", Integer.toString(echo.port()));
            client.send(data, "hello");
            client.awaitText(data, "hello");
        }
    }

    @Test
    void connectionsEndWhenTheirStreamIsResetOrTheClientGone() throws Exception {
        var upgrade = RawUpgrade.spdy(server, "portforward", "portforward.k8s.io");
        SpdyClient client = upgrade.speakSpdy();
        Pair first = new Pair(client, echo.port(), "0");
        client.send(first.data, "x");
        client.awaitText(first.data, "x");
        Socket firstAtPod = echo.latest();
        Pair second = new Pair(client, echo.port(), "1");
        client.send(second.data, "x");
        client.awaitText(second.data, "x");
        Socket secondAtPod = echo.latest();
        client.reset(first.data);
        echo.awaitEnd(firstAtPod);
        upgrade.close();
        echo.awaitEnd(secondAtPod);
    }

    @Test
    void numberedStreamsBeginWithTheirPort() throws Exception {
        String request = "portforward?ports=" + echo.port() + "," + counter.port();
        try (var client = new WebSocketClient(server, request, "v4.channel.k8s.io")) {
            client.send(0, "hello");
            client.awaitText(0, "hello");
            assertThat(client.bytes(0)).startsWith(echo.port() & 0xff, echo.port() >> 8);
            assertThat(client.bytes(1)).hasSize(2).startsWith(echo.port() & 0xff, echo.port() >> 8);
            client.send(2, "hello");
            assertThat(client.awaitBytes(3, 2)).startsWith(counter.port() & 0xff, counter.port() >> 8);
        }
    }

    /** The two streams of one forwarded connection. */
    private static final class Pair {
        final int error;
        final int data;

        Pair(SpdyClient client, int port, String request) throws Exception {
            String number = Integer.toString(port);
            error = client.open("streamtype", "error", "port", number, "requestid", request);
            client.end(error);
            data = client.open("streamtype", "data", "port", number, "requestid", request);
        }
    }

    /** Something that listens on a port. */
    private static final class TcpPort implements AutoCloseable {
        private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final LinkedBlockingQueue<Socket> accepted = new LinkedBlockingQueue<>();
        private final LinkedBlockingQueue<Socket> over = new LinkedBlockingQueue<>();

        interface Service {
            void serve(Socket socket) throws IOException;
        }

        TcpPort(Service service) throws IOException {
            Thread.ofVirtual().start(() -> {
                try {
                    while (true) {
                        Socket socket = listening.accept();
                        accepted.add(socket);
                        Thread.ofVirtual().start(() -> serve(service, socket));
                    }
                } catch (IOException closed) {
                    // the end of the test
                }
            });
        }

        private void serve(Service service, Socket socket) {
            try (socket) {
                service.serve(socket);
            } catch (IOException reset) {
                // an end like any other
            } finally {
                over.add(socket);
            }
        }

        int port() {
            return listening.getLocalPort();
        }

        Socket latest() {
            Socket latest = null;
            for (Socket socket : accepted) {
                latest = socket;
            }
            return latest;
        }

        void awaitEnd(Socket socket) throws InterruptedException {
            Socket ended = over.poll(60, TimeUnit.SECONDS);
            while (ended != null && ended != socket) {
                ended = over.poll(60, TimeUnit.SECONDS);
            }
            assertThat(ended).isSameAs(socket);
        }

        @Override
        public void close() throws IOException {
            listening.close();
        }
    }
}
