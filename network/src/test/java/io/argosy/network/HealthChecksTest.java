package io.argosy.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.NamespacedName;
import io.argosy.api.time.VirtualClock;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import java.io.IOException;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a balancer hears when it asks a node for a Service. */
class HealthChecksTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final FakeInformers informers = new FakeInformers();
    private final FakeEvents events = new FakeEvents();
    private final VirtualClock clock = new VirtualClock(Instant.EPOCH);
    private final HttpClient client = HttpClient.newHttpClient();
    private final HealthChecks checks = new HealthChecks(new ServiceFeed(informers, clock, events), "here");

    @BeforeEach
    void start() {
        informers.start();
        checks.start();
    }

    @AfterEach
    void stop() {
        checks.close();
        client.close();
    }

    @Test
    void aNodeAnswersForTheReadyEndpointsItHas() throws Exception {
        int port = freePort();
        informers.of(Service.class).put(service(port));
        awaitStatus(port, 503);
        informers.of(EndpointSlice.class).put(slice("there", true));
        assertThat(ask(port).statusCode()).isEqualTo(503);

        informers.of(EndpointSlice.class).put(slice("here", true));
        HttpResponse<String> healthy = awaitStatus(port, 200);
        assertThat(healthy.body())
                .isEqualTo("{\"service\":{\"namespace\":\"default\",\"name\":\"web\"},\"localEndpoints\":1,"
                        + "\"serviceProxyHealthy\":true}");
        assertThat(healthy.headers().firstValue("X-Load-Balancing-Endpoint-Weight"))
                .contains("1");

        informers.of(EndpointSlice.class).put(slice("here", false));
        awaitStatus(port, 503);
    }

    @Test
    void aPodOfBothFamiliesCountsOnce() throws Exception {
        int port = freePort();
        EndpointSlice six = slice("here", true);
        six.getMetadata().setName("web-v6");
        six.setAddressType("IPv6");
        six.getEndpoints().getFirst().setAddresses(List.of("fd00:10:244::11"));
        informers.of(EndpointSlice.class).put(six);
        informers.of(Service.class).put(service(port));
        assertThat(awaitStatus(port, 200).body()).contains("\"localEndpoints\":1,");
        EndpointSlice four = new EndpointSliceBuilder(slice("here", true))
                .addToEndpoints(slice("here", true).getEndpoints().getFirst())
                .build();
        four.getEndpoints().getLast().setAddresses(List.of("10.244.0.12"));
        informers.of(EndpointSlice.class).put(four);
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!ask(port).body().contains("\"localEndpoints\":2,")) {
            assertThat(System.nanoTime())
                    .as("two pods, one with an address of each family")
                    .isLessThan(end);
        }
    }

    @Test
    void thePortMovesAndGoesWithTheService() throws Exception {
        int first = freePort();
        informers.of(Service.class).put(service(first));
        awaitStatus(first, 503);
        int second = freePort();
        informers.of(Service.class).put(service(second));
        awaitStatus(second, 503);
        awaitClosed(first);
        informers.of(Service.class).remove(NamespacedName.of("default", "web"));
        awaitClosed(second);
    }

    @Test
    void aPortThatSomebodyElseHasIsToldAndTriedAgainWhileTheOthersAnswer() throws Exception {
        int free = freePort();
        int taken;
        try (ServerSocket other = new ServerSocket(0)) {
            taken = other.getLocalPort();
            Service busy = service(taken);
            busy.getMetadata().setName("busy");
            informers.of(Service.class).put(busy);
            assertThat(events.told.poll(LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .startsWith("Warning busy FailedToStartServiceHealthcheck: node here failed to start healthcheck"
                            + " \"default/busy\" on port " + taken + ": ");
            informers.of(Service.class).put(service(free));
            informers.of(EndpointSlice.class).put(slice("here", true));
            awaitStatus(free, 200);
        }
        clock.advance(Duration.ofSeconds(15));
        awaitStatus(taken, 503);
        informers.of(EndpointSlice.class).put(slice("here", false));
        awaitStatus(free, 503);
    }

    private HttpResponse<String> awaitStatus(int port, int status) throws Exception {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (true) {
            try {
                HttpResponse<String> answer = ask(port);
                if (answer.statusCode() == status) {
                    return answer;
                }
            } catch (IOException notYet) {
                assertThat(System.nanoTime()).as("in time: " + notYet).isLessThan(end);
            }
            assertThat(System.nanoTime()).as("in time: " + status).isLessThan(end);
            Thread.onSpinWait();
        }
    }

    private void awaitClosed(int port) throws Exception {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (true) {
            try {
                ask(port);
            } catch (ConnectException closed) {
                return;
            } catch (IOException cut) {
                assertThat(System.nanoTime()).as("in time: " + cut).isLessThan(end);
            }
            assertThat(System.nanoTime()).as("closed in time").isLessThan(end);
            Thread.onSpinWait();
        }
    }

    private HttpResponse<String> ask(int port) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/healthz"))
                .timeout(LIMIT)
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static Service service(int healthCheckPort) {
        return new ServiceBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("web")
                .endMetadata()
                .withNewSpec()
                .withType("LoadBalancer")
                .withClusterIP("10.96.0.20")
                .withExternalTrafficPolicy("Local")
                .withHealthCheckNodePort(healthCheckPort)
                .endSpec()
                .build();
    }

    private static EndpointSlice slice(String node, boolean ready) {
        return new EndpointSliceBuilder()
                .withAddressType("IPv4")
                .withNewMetadata()
                .withNamespace("default")
                .withName("web-" + node)
                .addToLabels("kubernetes.io/service-name", "web")
                .endMetadata()
                .addNewEndpoint()
                .withAddresses("10.244.0.11")
                .withNodeName(node)
                .withNewConditions()
                .withReady(ready)
                .endConditions()
                .endEndpoint()
                .build();
    }
}
