package io.argosy.node.agent.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.sun.net.httpserver.HttpServer;
import io.argosy.api.time.Clock;
import io.argosy.node.agent.fake.FakeRuntime;
import io.argosy.node.agent.fake.PlainServer;
import io.argosy.node.agent.probe.CheckResult.Kind;
import io.argosy.node.runtime.ExecResult;
import io.argosy.node.time.LateClock;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.HTTPGetAction;
import io.fabric8.kubernetes.api.model.HTTPGetActionBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.LifecycleHandler;
import io.fabric8.kubernetes.api.model.LifecycleHandlerBuilder;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.ProbeBuilder;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Probes against servers that behave well and badly. */
class ChecksTest {
    private final FakeRuntime runtime = new FakeRuntime(Clock.system());
    private final Checks checks = new Checks(runtime, Clock.system());
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
        server.createContext("/beside", exchange -> {
            exchange.getResponseHeaders().set("Location", "bad?x=1");
            exchange.sendResponseHeaders(301, -1);
            exchange.close();
        });
        server.createContext("/away", exchange -> {
            exchange.getResponseHeaders().set("Location", "http://elsewhere.invalid/bad");
            byte[] body = "Found".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(302, exchange.getRequestURI().getQuery() == null ? body.length : 0);
            exchange.getResponseBody().write(body);
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
        assertThat(checks.probe(target, http("/beside")))
                .isEqualTo(CheckResult.failed("HTTP probe failed with statuscode: 503"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/away", "/away?chunked"})
    void aRedirectToAnotherHostIsWellWithAWarning(String path) {
        CheckResult result = checks.probe(target, http(path));
        assertThat(result.ok()).isTrue();
        assertThat(result).isEqualTo(CheckResult.warning("Probe terminated redirects, Response body: Found"));
    }

    @Test
    void aCommandKnowsTheVariablesThatStandInTheSpec() {
        List<String> asked = new ArrayList<>();
        runtime.answersExec(command -> {
            asked.addAll(command);
            return new ExecResult(0, new byte[0], new byte[0]);
        });
        Target withVariables = new Target(
                "c",
                "127.0.0.1",
                new ContainerBuilder()
                        .addNewEnv()
                        .withName("PORT")
                        .withValue("8080")
                        .endEnv()
                        .addNewEnv()
                        .withName("ELSEWHERE")
                        .withNewValueFrom()
                        .withNewFieldRef("v1", "metadata.name")
                        .endValueFrom()
                        .endEnv()
                        .build());
        Probe probe = new ProbeBuilder()
                .withNewExec()
                .withCommand("check", ":$(PORT)", "$$(PORT)", "<$(ELSEWHERE)>", "$(NOWHERE)")
                .endExec()
                .build();
        assertThat(checks.probe(withVariables, probe)).isEqualTo(CheckResult.OK);
        assertThat(asked).containsExactly("check", ":8080", "$(PORT)", "<>", "$(NOWHERE)");
    }

    @Test
    void aHookAsksAgainWithoutTlsWhereTheServerHasNone() throws Exception {
        try (PlainServer plain = new PlainServer()) {
            HTTPGetAction action = new HTTPGetActionBuilder()
                    .withScheme("HTTPS")
                    .withPath("/begun")
                    .withPort(new IntOrString(plain.port()))
                    .addNewHttpHeader("authorization", "secret")
                    .build();
            LifecycleHandler hook =
                    new LifecycleHandlerBuilder().withHttpGet(action).build();
            String at = "127.0.0.1:" + plain.port();

            assertThat(checks.hook(target, hook, Duration.ofSeconds(30)))
                    .isEqualTo(CheckResult.warning(
                            "request to HTTPS lifecycle hook " + at + " got HTTP response, retry with HTTP succeeded"));
            assertThat(plain.requests()).first().isEqualTo("GET /begun HTTP/1.1");
            assertThat(plain.requests()).noneMatch(line -> line.contains("secret"));

            Probe probe = new ProbeBuilder()
                    .withHttpGet(action)
                    .withTimeoutSeconds(30)
                    .build();
            assertThat(checks.probe(target, probe))
                    .isEqualTo(CheckResult.failed(
                            "Get \"https://" + at + "/begun\": http: server gave HTTP response to HTTPS client"));
        }
    }

    /** What the API server lets through, and no server can answer; the look says so, or that it could not be taken. */
    static Stream<Arguments> oddities() {
        Probe get = new ProbeBuilder()
                .withNewHttpGet()
                .withPath("/ok")
                .withPort(new IntOrString("web"))
                .endHttpGet()
                .withTimeoutSeconds(1)
                .build();
        return Stream.of(
                arguments(
                        "a timeout beyond all bounds",
                        new ProbeBuilder(get).withTimeoutSeconds(Integer.MAX_VALUE),
                        Kind.OK),
                arguments(
                        "a header without a value",
                        new ProbeBuilder(get)
                                .editHttpGet()
                                .addNewHttpHeader("X-Empty", null)
                                .endHttpGet(),
                        Kind.OK),
                arguments(
                        "a host that no DNS name is",
                        new ProbeBuilder(get)
                                .editHttpGet()
                                .withHost("my_host.invalid")
                                .endHttpGet(),
                        Kind.FAILED),
                arguments(
                        "a host that no host is",
                        new ProbeBuilder(get).editHttpGet().withHost("no host").endHttpGet(),
                        Kind.ERRORED),
                arguments(
                        "a port that the container does not name",
                        new ProbeBuilder(get)
                                .editHttpGet()
                                .withPort(new IntOrString("other"))
                                .endHttpGet(),
                        Kind.ERRORED),
                arguments(
                        "the same over TCP",
                        new ProbeBuilder()
                                .withNewTcpSocket()
                                .withPort(new IntOrString("other"))
                                .endTcpSocket(),
                        Kind.ERRORED),
                arguments("no question at all", new ProbeBuilder(), Kind.ERRORED));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("oddities")
    void anOddProbeIsAnsweredAndThrowsNothing(String name, ProbeBuilder probe, Kind kind) {
        assertThat(checks.probe(target, probe.build()).kind()).isEqualTo(kind);
    }

    /** Servers that always say something and never come to an end. */
    static Stream<Arguments> talkers() {
        byte[] ping = {0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
        byte[] header = "X".getBytes(StandardCharsets.US_ASCII);
        return Stream.of(
                arguments("grpc", ping, ping, "timeout: health rpc did not complete within 1s"),
                arguments("HTTP", header, header, "context deadline exceeded"),
                arguments(
                        "HTTPS", new byte[] {0x16, 3, 3, 0x3f, 0, 2, 0, 0x3e, 0}, header, "context deadline exceeded"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("talkers")
    void aServerThatTalksForEverTimesOut(String scheme, byte[] first, byte[] more, String said) throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> talk(listener, first, more));
            ProbeBuilder probe = new ProbeBuilder().withTimeoutSeconds(1);
            IntOrString port = new IntOrString(listener.getLocalPort());
            CheckResult result = checks.probe(
                    target,
                    scheme.equals("grpc")
                            ? probe.withNewGrpc(listener.getLocalPort(), "").build()
                            : probe.withNewHttpGet()
                                    .withScheme(scheme)
                                    .withPort(port)
                                    .endHttpGet()
                                    .build());
            assertThat(result.kind()).isEqualTo(Kind.FAILED);
            assertThat(result.output()).contains(said);
        }
    }

    /** Until nobody listens any more. */
    private static void talk(ServerSocket listener, byte[] first, byte[] more) {
        try (Socket socket = listener.accept()) {
            socket.getOutputStream().write(first);
            while (!socket.isClosed()) {
                socket.getOutputStream().write(more);
                LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
            }
        } catch (IOException e) {
            // the probe has gone
        }
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

    /** What a second of ours was, when the machine gave us a turn only every five seconds. */
    private static void pauseOften(LateClock clock) {
        for (int step = 0; step < 9; step++) {
            clock.ring(Duration.ofSeconds(5));
        }
    }

    @Test
    void aPauseOfOursIsNotHeldAgainstTheContainer() throws IOException {
        LateClock late = new LateClock();
        Checks paused = new Checks(new FakeRuntime(late), late);
        server.createContext("/slow", exchange -> {
            pauseOften(late);
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        assertThat(paused.probe(target, http("/slow")).ok()).isTrue();
        try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> answerHealth(listener, 1, () -> pauseOften(late)));
            Probe grpc = new ProbeBuilder()
                    .withNewGrpc(listener.getLocalPort(), "shop")
                    .build();
            assertThat(paused.probe(target, grpc).ok()).isTrue();
        }
        assertThat(late.waiting()).isZero();
    }

    @Test
    void aContainerThatIsSlowerThanOurOwnTimeFails() {
        LateClock late = new LateClock();
        server.createContext("/slow", exchange -> {
            pauseOften(late);
            late.ring(Duration.ofMillis(100));
            exchange.close();
        });
        assertThat(new Checks(new FakeRuntime(late), late)
                        .probe(target, http("/slow"))
                        .output())
                .contains("context deadline exceeded");
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
        String refused = "dial tcp 127.0.0.1:" + free + ": connect: connection refused";
        assertThat(checks.probe(target, tcp)).isEqualTo(CheckResult.failed(refused));
        Probe get = new ProbeBuilder()
                .withNewHttpGet()
                .withPort(new IntOrString(free))
                .endHttpGet()
                .build();
        assertThat(checks.probe(target, get))
                .isEqualTo(CheckResult.failed("Get \"http://127.0.0.1:" + free + "/\": " + refused));
        Probe grpc = new ProbeBuilder().withNewGrpc(free, "").build();
        assertThat(checks.probe(target, grpc))
                .isEqualTo(CheckResult.failed("timeout: failed to connect service \"127.0.0.1:" + free
                        + "\" within 1s: context deadline exceeded"));
    }

    @Test
    void aConnectionThatBreaksIsToldInTheWordsPeopleLookFor() throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> reset(listener));
            Probe get = new ProbeBuilder()
                    .withNewHttpGet()
                    .withPort(new IntOrString(listener.getLocalPort()))
                    .endHttpGet()
                    .build();
            assertThat(checks.probe(target, get).output())
                    .matches("Get \"http://127.0.0.1:[0-9]+/\": read tcp 127.0.0.1:[0-9]+->127.0.0.1:[0-9]+: read:"
                            + " connection reset by peer");
        }
        Probe lost = new ProbeBuilder()
                .withNewTcpSocket()
                .withHost("nobody.invalid")
                .withPort(new IntOrString(80))
                .endTcpSocket()
                .build();
        assertThat(checks.probe(target, lost))
                .isEqualTo(CheckResult.failed("dial tcp: lookup nobody.invalid: no such host"));
    }

    /** Reads the whole question and hangs up without a word. */
    private static void reset(ServerSocket listener) {
        try (Socket socket = listener.accept()) {
            socket.setSoLinger(true, 0);
            byte[] question = new byte[1024];
            int read = 0;
            while (!new String(question, 0, read, StandardCharsets.US_ASCII).endsWith("\r\n\r\n")) {
                read += socket.getInputStream().read(question, read, question.length - read);
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void grpcHealthIsReadFromTheAnswer() throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Probe probe = new ProbeBuilder()
                    .withNewGrpc(listener.getLocalPort(), "shop")
                    .withTimeoutSeconds(5)
                    .build();
            for (int status : new int[] {1, 2}) {
                Thread.ofVirtual().start(() -> answerHealth(listener, status, () -> {}));
                assertThat(checks.probe(target, probe).ok()).isEqualTo(status == 1);
            }
        }
    }

    /** As much of an HTTP/2 server as one health call needs. */
    private static void answerHealth(ServerSocket listener, int status, Runnable first) {
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
            first.run();
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
