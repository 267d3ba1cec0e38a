package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.zip.CRC32;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bodies of requests to servers in the cluster: passed on as they come, whatever their length. */
class ProxyBodyTest {
    private static final int LARGE = 20 << 20;

    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static HttpServer backend;
    private static String proxy;

    @BeforeAll
    static void backend() throws Exception {
        String address = ProxyTest.ownAddress();
        assumeTrue(
                !address.isEmpty(), "this machine has no address but the loopback ones, to which nothing is proxied");
        backend = HttpServer.create(new InetSocketAddress(address, 0), 0);
        backend.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        backend.createContext("/sum", ProxyBodyTest::sum);
        backend.createContext("/echo", ProxyBodyTest::echo);
        backend.createContext("/refuse", asked -> asked.sendResponseHeaders(413, -1));
        backend.start();
        String pods = "/api/v1/namespaces/" + SERVER.namespace() + "/pods";
        SERVER.admin().create(pods, "{'metadata':{'name':'web'},'spec':{'containers':[{'name':'c','image':'i'}]}}");
        SERVER.admin()
                .patch(pods + "/web/status", TestClient.MERGE_PATCH, "{'status':{'podIP':'" + address + "'}}")
                .is(200);
        proxy = pods + "/web:" + backend.getAddress().getPort() + "/proxy";
    }

    @AfterAll
    static void stop() {
        if (backend != null) {
            backend.stop(0);
        }
    }

    private static void sum(HttpExchange asked) throws IOException {
        try (asked) {
            CRC32 sum = new CRC32();
            long length = 0;
            byte[] buffer = new byte[100_000];
            for (int read = asked.getRequestBody().read(buffer);
                    read >= 0;
                    read = asked.getRequestBody().read(buffer)) {
                sum.update(buffer, 0, read);
                length += read;
            }
            String said = length + " " + sum.getValue() + " "
                    + asked.getRequestHeaders().getFirst("Content-Length");
            asked.sendResponseHeaders(200, said.length());
            asked.getResponseBody().write(said.getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** Answers each line when it has come. */
    private static void echo(HttpExchange asked) throws IOException {
        try (asked) {
            asked.sendResponseHeaders(200, 0);
            byte[] buffer = new byte[1000];
            InputStream in = asked.getRequestBody();
            OutputStream out = asked.getResponseBody();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                out.write(buffer, 0, read);
                out.flush();
            }
        }
    }

    private static HttpResponse<String> post(String path, Version version, String subject, BodyPublisher body)
            throws Exception {
        try (HttpClient client = HttpClient.newBuilder()
                .sslContext(SERVER.identity(subject))
                .version(version)
                .build()) {
            URI uri = URI.create("https://localhost:" + SERVER.address().getPort() + proxy + path);
            return client.send(HttpRequest.newBuilder(uri).POST(body).build(), BodyHandlers.ofString());
        }
    }

    @ParameterizedTest
    @CsvSource({"HTTP_1_1,true", "HTTP_1_1,false", "HTTP_2,true", "HTTP_2,false"})
    void largeBodiesComeThrough(Version version, boolean known) throws Exception {
        byte[] large = new byte[LARGE];
        new Random(1).nextBytes(large);
        CRC32 sum = new CRC32();
        sum.update(large);
        BodyPublisher body = known
                ? BodyPublishers.ofByteArray(large)
                : BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(large));
        HttpResponse<String> answer = post("/sum", version, TestServer.ADMIN, body);
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo(LARGE + " " + sum.getValue() + " " + (known ? LARGE : "null"));
    }

    @ParameterizedTest
    @CsvSource({"HTTP_1_1", "HTTP_2"})
    void whoMayNotAskIsToldSoBeforeTheBodyIsThere(Version version) throws Exception {
        HttpResponse<String> answer =
                post("/sum", version, "CN=stranger", BodyPublishers.ofByteArray(new byte[200_000]));
        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(answer.body()).contains("Forbidden");
    }

    private static SSLSocket connected() throws Exception {
        SSLSocket socket = (SSLSocket) SERVER.identity(TestServer.ADMIN)
                .getSocketFactory()
                .createSocket("127.0.0.1", SERVER.address().getPort());
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {"http/1.1"});
        socket.setSSLParameters(parameters);
        socket.setSoTimeout(60_000);
        return socket;
    }

    private static void write(SSLSocket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
    }

    private static String readUntil(SSLSocket socket, String end) throws IOException {
        StringBuilder read = new StringBuilder();
        while (read.indexOf(end) < 0) {
            int next = socket.getInputStream().read();
            assertThat(next).as("more after " + read).isNotNegative();
            read.append((char) next);
        }
        return read.toString();
    }

    private static String chunk(String text) {
        return HexFormat.of().toHexDigits((byte) text.length()) + "\r\n" + text + "\r\n";
    }

    @Test
    void bothSidesTalkAtOnceAndTheConnectionGoesOn() throws Exception {
        try (SSLSocket socket = connected()) {
            write(socket, "POST " + proxy + "/echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
            write(socket, chunk("first."));
            assertThat(readUntil(socket, "first.")).startsWith("HTTP/1.1 200 OK");
            write(socket, chunk("second."));
            readUntil(socket, "second.");
            write(socket, "0\r\n\r\n");
            readUntil(socket, "0\r\n\r\n");
        }
    }

    @Test
    void aBodyThatHasEndedBeforeTheAnswerLeavesTheConnectionOpen() throws Exception {
        String body = "x".repeat(100_000);
        try (SSLSocket socket = connected()) {
            for (int i = 0; i < 3; i++) {
                write(socket, "POST " + proxy + "/sum HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n" + body);
                assertThat(readUntil(socket, " 100000").toLowerCase(Locale.ROOT))
                        .startsWith("http/1.1 200 ok")
                        .doesNotContain("connection: close");
            }
        }
    }

    @Test
    void aServerThatAnswersWithoutReadingIsHeard() throws Exception {
        try (SSLSocket socket = connected()) {
            write(socket, "POST " + proxy + "/refuse HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
            String head = readUntil(socket, "\r\n\r\n");
            assertThat(head.toLowerCase(Locale.ROOT)).startsWith("http/1.1 413").contains("connection: close");
            assertThat(socket.getInputStream().read()).isNegative();
        }
    }

    @Test
    void aBodyThatBreaksOffIsNotTakenForWhole() throws Exception {
        try (SSLSocket socket = connected()) {
            write(socket, "POST " + proxy + "/sum HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
            write(socket, chunk("first.") + "no number\r\n");
            assertThat(readUntil(socket, "\r\n\r\n")).startsWith("HTTP/1.1 503");
        }
    }
}
