package io.argosy.node.agent.probe;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.argosy.api.time.Clock;
import io.argosy.node.agent.fake.FakeRuntime;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.ProbeBuilder;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Probes against servers that behave well and badly. */
class ChecksTest {
    private final Checks checks = new Checks(new FakeRuntime(Clock.system()), Clock.system());
    private final AtomicReference<String> host = new AtomicReference<>();
    private HttpServer server;
    private Target target;

    @BeforeEach
    void begin() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/ok", exchange -> {
            host.set(exchange.getRequestHeaders().getFirst("Host"));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.createContext("/bad", exchange -> {
            exchange.sendResponseHeaders(503, -1);
            exchange.close();
        });
        server.createContext("/moved", exchange -> {
            exchange.getResponseHeaders().set("Location", "/bad");
            exchange.sendResponseHeaders(302, -1);
            exchange.close();
        });
        server.createContext("/away", exchange -> {
            exchange.getResponseHeaders().set("Location", "http://elsewhere.invalid/bad");
            exchange.sendResponseHeaders(302, -1);
            exchange.close();
        });
        server.start();
        target = new Target(
                "c",
                "127.0.0.1",
                new ContainerBuilder()
                        .addNewPort()
                        .withName("web")
                        .withContainerPort(server.getAddress().getPort())
                        .endPort()
                        .build());
    }

    @AfterEach
    void end() {
        server.stop(0);
    }

    private static Probe http(String path) {
        return new ProbeBuilder()
                .withNewHttpGet()
                .withPath(path)
                .withPort(new IntOrString("web"))
                .addNewHttpHeader("Host", "example.com")
                .endHttpGet()
                .withTimeoutSeconds(1)
                .build();
    }

    @Test
    void httpIsJudgedByItsStatus() {
        assertThat(checks.probe(target, http("/ok")).ok()).isTrue();
        assertThat(host.get()).isEqualTo("example.com");
        assertThat(checks.probe(target, http("/bad")))
                .isEqualTo(CheckResult.failed("HTTP probe failed with statuscode: 503"));
        assertThat(checks.probe(target, http("/moved")).ok()).isFalse();
        assertThat(checks.probe(target, http("/away")).ok()).isTrue();
    }

    @Test
    void aServerThatAcceptsAndSaysNothingTimesOut() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Probe probe = new ProbeBuilder()
                    .withNewHttpGet()
                    .withPath("/")
                    .withPort(new IntOrString(silent.getLocalPort()))
                    .endHttpGet()
                    .withTimeoutSeconds(1)
                    .build();
            assertThat(checks.probe(target, probe).output()).contains("context deadline exceeded");
            Probe tcp = new ProbeBuilder()
                    .withNewTcpSocket()
                    .withPort(new IntOrString(silent.getLocalPort()))
                    .endTcpSocket()
                    .build();
            assertThat(checks.probe(target, tcp).ok()).isTrue();
        }
    }

    @Test
    void nobodyListeningFails() throws IOException {
        int free;
        try (ServerSocket socket = new ServerSocket(0)) {
            free = socket.getLocalPort();
        }
        Probe tcp = new ProbeBuilder()
                .withNewTcpSocket()
                .withPort(new IntOrString(free))
                .endTcpSocket()
                .build();
        assertThat(checks.probe(target, tcp).output()).contains("Connection refused");
    }

    @Test
    void grpcHealthIsReadFromTheAnswer() throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Probe probe = new ProbeBuilder()
                    .withNewGrpc(listener.getLocalPort(), "shop")
                    .withTimeoutSeconds(5)
                    .build();
            for (int status : new int[] {1, 2}) {
                Thread.ofVirtual().start(() -> answerHealth(listener, status));
                assertThat(checks.probe(target, probe).ok()).isEqualTo(status == 1);
            }
        }
    }

    /** As much of an HTTP/2 server as one health call needs. */
    private static void answerHealth(ServerSocket listener, int status) {
        try (Socket socket = listener.accept()) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            in.readNBytes(24);
            boolean asked = false;
            while (!asked) {
                int length = (in.readUnsignedByte() << 16) | in.readUnsignedShort();
                int type = in.readUnsignedByte();
                in.readUnsignedByte();
                in.readInt();
                byte[] payload = in.readNBytes(length);
                asked = type == 0;
                if (asked && payload.length != 11) {
                    return;
                }
            }
            socket.getOutputStream().write(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0});
            socket.getOutputStream().write(new byte[] {0, 0, 1, 1, 4, 0, 0, 0, 1, (byte) 0x88});
            socket.getOutputStream().write(new byte[] {0, 0, 7, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0x08, (byte) status});
            socket.getOutputStream().flush();
            in.readAllBytes();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
