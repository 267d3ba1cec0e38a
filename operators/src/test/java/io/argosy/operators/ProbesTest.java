package io.argosy.operators;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is answered to a kubelet and a Prometheus. */
class ProbesTest {
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
    private final AtomicBoolean healthy = new AtomicBoolean(true);
    private final HttpClient http = HttpClient.newHttpClient();
    private Probes probes;

    @BeforeEach
    void serve() throws Exception {
        probes = Probes.serve(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), now::get);
    }

    @AfterEach
    void close() {
        probes.close();
        http.close();
    }

    private HttpResponse<String> get(String path) throws Exception {
        return http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + probes.port() + path))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private void passes(Duration time) {
        now.updateAndGet(before -> before.plus(time));
    }

    @Test
    void itIsAliveBeforeItIsReady() throws Exception {
        assertThat(get("/healthz").statusCode()).isEqualTo(200);
        assertThat(get("/readyz").statusCode()).isEqualTo(503);
        probes.tell(healthy::get, () -> "");
        assertThat(get("/readyz").statusCode()).isEqualTo(200);
    }

    @Test
    void whoWatchesNothingForLongIsNotAlive() throws Exception {
        probes.tell(healthy::get, () -> "");
        passes(Duration.ofHours(1));
        assertThat(get("/healthz").statusCode()).isEqualTo(200);
        healthy.set(false);
        passes(Duration.ofMinutes(4));
        assertThat(get("/readyz").statusCode()).isEqualTo(503);
        assertThat(get("/healthz").statusCode()).isEqualTo(200);
        passes(Duration.ofMinutes(2));
        assertThat(get("/healthz").statusCode()).isEqualTo(503);
        healthy.set(true);
        assertThat(get("/healthz").statusCode()).isEqualTo(200);
    }

    @Test
    void whatWasDoneIsCounted() throws Exception {
        Tally tally = new Tally();
        probes.tell(healthy::get, tally::text);
        assertThat(get("/metrics").body()).contains("etcd_operator_heap_used_bytes ");
        assertThat(get("/metrics").headers().firstValue("Content-Type")).contains("text/plain; version=0.0.4");
    }
}
