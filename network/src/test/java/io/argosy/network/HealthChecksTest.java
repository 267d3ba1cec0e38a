package io.argosy.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.NamespacedName;
import io.argosy.api.time.Clock;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a balancer hears when it asks a node for a Service. */
class HealthChecksTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final FakeInformers informers = new FakeInformers();
    private final HttpClient client = HttpClient.newHttpClient();
    private final HealthChecks checks = new HealthChecks(new ServiceFeed(informers, Clock.system()), "here");

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
