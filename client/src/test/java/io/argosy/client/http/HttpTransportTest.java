package io.argosy.client.http;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.argosy.api.GroupVersion;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.api.time.VirtualClock;
import io.argosy.client.ApiTransport.Request;
import io.argosy.client.ApiTransport.Verb;
import io.argosy.client.ApiTransport.Watch;
import io.argosy.client.ApiTransport.WatchSink;
import io.argosy.client.informer.SharedInformers;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HttpTransportTest {
    private static final byte[] LIST =
            "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[]}"
                    .getBytes(StandardCharsets.UTF_8);

    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final List<String> heard = new CopyOnWriteArrayList<>();
    private HttpServer server;
    private HttpTransport transport;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
        transport = new HttpTransport(config());
    }

    private Kubeconfig config() {
        URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        return new Kubeconfig(address, "default", "", "", "", "secret");
    }

    @AfterEach
    void stop() {
        transport.close();
        server.stop(0);
    }

    @Test
    void aRequestBecomesTheRightAddress() {
        answer(200, "{\"kind\":\"Deployment\"}");
        transport.send(new Request(
                Verb.UPDATE,
                new GroupVersion("apps", "v1"),
                "deployments",
                "shop",
                "web",
                "status",
                Map.of("fieldManager", "a b"),
                "application/json",
                "{}".getBytes(StandardCharsets.UTF_8)));
        assertThat(calls)
                .containsExactly("PUT /apis/apps/v1/namespaces/shop/deployments/web/status?fieldManager=a%20b"
                        + " Bearer secret");
    }

    @Test
    void aRefusalIsReadFromItsStatus() {
        answer(
                404,
                new String(
                        io.argosy.api.json.Json.encode(
                                ApiException.notFound(new io.argosy.api.GroupResource("", "pods"), "x")
                                        .toStatus()),
                        StandardCharsets.UTF_8));
        assertThatThrownBy(() -> transport.send(request(Verb.GET, "x")))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> assertThat(e.is(Reason.NotFound)).isTrue())
                .hasMessage("pods \"x\" not found");
    }

    @Test
    void watchEventsArriveOneByOneUntilTheServerEnds() throws InterruptedException {
        answer(200, """
            {"type":"ADDED","object":{"metadata":{"name":"ä","resourceVersion":"7"}}}
            {"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}}
            """);
        CountDownLatch closed = new CountDownLatch(1);
        transport.watch(request(Verb.WATCH, ""), sink(closed));
        closed.await();
        assertThat(heard)
                .containsExactly(
                        "ADDED 7 {\"metadata\":{\"name\":\"ä\",\"resourceVersion\":\"7\"}}",
                        "BOOKMARK 9 {\"metadata\":{\"resourceVersion\":\"9\"}}",
                        "closed null");
    }

    @Test
    void anErrorEventClosesTheWatchWithItsCause() throws InterruptedException {
        answer(
                200,
                "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"reason\":\"Expired\",\"code\":410,"
                        + "\"message\":\"too old\"}}\n");
        CountDownLatch closed = new CountDownLatch(1);
        transport.watch(request(Verb.WATCH, ""), sink(closed));
        closed.await();
        assertThat(heard).containsExactly("closed io.argosy.api.status.ApiException: too old");
    }

    @Test
    void closingAWatchEndsItOnTheServerToo() throws InterruptedException {
        CountDownLatch gone = new CountDownLatch(1);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream out = exchange.getResponseBody()) {
                while (true) {
                    out.write("{\"type\":\"ADDED\",\"object\":{}}\n".getBytes(StandardCharsets.UTF_8));
                    out.flush();
                }
            } catch (IOException e) {
                gone.countDown();
            }
        });
        CountDownLatch closed = new CountDownLatch(1);
        Watch watch = transport.watch(request(Verb.WATCH, ""), sink(closed));
        eventually("events", () -> !heard.isEmpty());
        watch.close();
        gone.await();
        closed.await();
        assertThat(heard.getLast()).isEqualTo("closed null");
    }

    @Test
    void aWatchWhoseServerFellSilentIsOpenedAgain() throws IOException {
        CountDownLatch never = new CountDownLatch(1);
        server.createContext("/", exchange -> {
            calls.add(exchange.getRequestURI().toString());
            if (exchange.getRequestURI().getQuery() == null) {
                send(exchange, 200, LIST);
                return;
            }
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().flush();
            try {
                never.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        VirtualClock clock = new VirtualClock(Instant.parse("2026-11-15T10:00:00Z"));
        try (HttpTransport silent = new HttpTransport(config(), clock);
                SharedInformers informers = new SharedInformers(silent, Clock.system())) {
            informers.of(Pod.class);
            informers.start();
            eventually("first watch", () -> watches() == 1);
            assertThat(seconds()).isBetween(300L, 600L);
            clock.advance(Duration.ofSeconds(seconds()));
            assertThat(watches()).as("the server has its time").isEqualTo(1);
            clock.advance(Duration.ofSeconds(30));
            eventually("next watch", () -> watches() == 2);
        } finally {
            never.countDown();
        }
    }

    private int watches() {
        return (int) calls.stream().filter(call -> call.contains("watch=true")).count();
    }

    private long seconds() {
        return Long.parseLong(calls.getLast().replaceFirst(".*timeoutSeconds=(\\d+).*", "$1"));
    }

    private WatchSink sink(CountDownLatch closed) {
        return new WatchSink() {
            @Override
            public void event(String type, byte[] object, long revision) {
                if (heard.size() < 100) {
                    heard.add(type + " " + revision + " " + new String(object, StandardCharsets.UTF_8));
                }
            }

            @Override
            public void closed(RuntimeException cause) {
                heard.add("closed " + cause);
                closed.countDown();
            }
        };
    }

    private void answer(int code, String body) {
        server.createContext("/", exchange -> {
            calls.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                    + exchange.getRequestHeaders().getFirst("Authorization"));
            send(exchange, code, body.getBytes(StandardCharsets.UTF_8));
        });
    }

    private static void send(HttpExchange exchange, int code, byte[] body) throws IOException {
        exchange.sendResponseHeaders(code, body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    private static Request request(Verb verb, String name) {
        return new Request(verb, new GroupVersion("", "v1"), "pods", "default", name, "", Map.of(), "", new byte[0]);
    }
}
