package io.argosy.server.audit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import io.argosy.api.json.Json;
import io.argosy.api.time.VirtualClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Events are posted many at once, in bounded memory, and again while nobody takes them. */
class WebhookSinkTest {
    @TempDir
    Path folder;

    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-01-01T00:00:00Z"));
    private final AuditErrors errors = new AuditErrors();
    private final BlockingQueue<JsonNode> posted = new LinkedBlockingQueue<>();
    private final List<String> authorizations = new CopyOnWriteArrayList<>();
    private final AtomicInteger answer = new AtomicInteger(200);
    private HttpServer server;
    private Path kubeconfig;

    @BeforeEach
    void listen() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
        server.createContext("/audit", exchange -> {
            JsonNode body = Json.decode(exchange.getRequestBody().readAllBytes());
            authorizations.add(String.valueOf(exchange.getRequestHeaders().getFirst("authorization")));
            exchange.sendResponseHeaders(answer.get(), -1);
            exchange.close();
            posted.add(body);
        });
        server.start();
        kubeconfig = Files.writeString(folder.resolve("webhook.yaml"), """
                apiVersion: v1
                kind: Config
                clusters:
                - name: collector
                  cluster: {server: "http://127.0.0.1:%d/audit"}
                users:
                - name: me
                  user: {token: hunter2}
                contexts:
                - name: only
                  context: {cluster: collector, user: me}
                current-context: only
                """.formatted(
                        server.getAddress().getPort()));
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private WebhookSink open() {
        return WebhookSink.open(kubeconfig, clock, errors);
    }

    private static byte[] event(int number) {
        return ("{\"auditID\":\"" + number + "\"}").getBytes(UTF_8);
    }

    private JsonNode next() throws InterruptedException {
        JsonNode list = posted.poll(30, TimeUnit.SECONDS);
        assertThat(list).as("a post").isNotNull();
        return list;
    }

    @Test
    void aFullBatchGoesAtOnce() throws InterruptedException {
        try (WebhookSink sink = open()) {
            for (int i = 0; i < WebhookSink.MAX_BATCH; i++) {
                sink.write(event(i));
            }
            JsonNode list = next();
            assertThat(list.path("kind").asText()).isEqualTo("EventList");
            assertThat(list.path("apiVersion").asText()).isEqualTo("audit.k8s.io/v1");
            assertThat(list.path("items")).hasSize(WebhookSink.MAX_BATCH);
            assertThat(list.at("/items/17/auditID").asText()).isEqualTo("17");
            assertThat(authorizations).containsExactly("Bearer hunter2");
        }
    }

    @Test
    void aFewWaitForMoreButNotForLong() throws InterruptedException {
        try (WebhookSink sink = open()) {
            sink.write(event(1));
            sink.write(event(2));
            clock.advance(Duration.ofSeconds(29));
            assertThat(posted).isEmpty();
            clock.advance(Duration.ofSeconds(2));
            assertThat(next().path("items")).hasSize(2);
        }
    }

    @Test
    void whatWaitsIsPostedAtTheEnd() throws InterruptedException {
        try (WebhookSink sink = open()) {
            sink.write(event(1));
        }
        assertThat(next().path("items")).hasSize(1);
        assertThat(errors.of("webhook")).isZero();
    }

    @Test
    void whoIsAwayIsAskedAgain() throws InterruptedException {
        answer.set(503);
        try (WebhookSink sink = open()) {
            sink.write(event(1));
            clock.advance(Duration.ofSeconds(31));
            next();
            answer.set(200);
            JsonNode again = null;
            while (again == null) { // until its pause has begun and is over
                clock.advance(Duration.ofSeconds(1));
                again = posted.poll(5, TimeUnit.MILLISECONDS);
            }
            assertThat(again.path("items")).hasSize(1);
        }
        assertThat(errors.of("webhook")).isZero();
    }

    @Test
    void whatDoesNotFitIsDroppedAndCounted() throws InterruptedException {
        answer.set(503);
        WebhookSink sink = open();
        for (int i = 0; i < WebhookSink.MAX_BATCH; i++) {
            sink.write(event(i));
        }
        next(); // the first batch is on its way, and will be for a while
        for (int i = 0; i < WebhookSink.MAX_BUFFERED + 7; i++) {
            sink.write(event(i));
        }
        assertThat(errors.of("buffered")).isEqualTo(7);
        answer.set(200);
        sink.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "kind: Config",
                "clusters: []",
                "clusters: [{cluster: {server: nowhere}}]",
                "clusters: [{name: a, cluster: {server: 'https://h'}}]\ncontexts: [{name: c, context: {cluster: b}}]",
                "clusters: [{cluster: {server: 'https://h', certificate-authority-data: AAAA}}]",
                "clusters: [{cluster: {server: 'https://h', certificate-authority: none.pem}}]"
            })
    void aWrongConfigurationIsSaidToBe(String content) throws IOException {
        Files.writeString(kubeconfig, content);
        assertThatThrownBy(this::open)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(kubeconfig + ", cannot be used");
    }
}
