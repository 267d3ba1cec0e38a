package io.argosy.cluster;

import static io.argosy.cluster.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.argosy.api.json.Json;
import io.argosy.client.Client;
import io.fabric8.kubernetes.api.model.APIService;
import io.fabric8.kubernetes.api.model.APIServiceBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.function.Function;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** Another API server, in this process, that answers for one version of one group. */
final class OtherServer implements AutoCloseable {
    private static final String PASSWORD = "changeit";

    private final Path folder;
    private final String group;
    private final String version;
    private final Function<HttpExchange, ObjectNode> answers;
    private HttpsServer server;

    /**
     * Begins to serve on a free port.
     *
     * @param folder where its key is kept
     * @param answers what is answered to a request, as JSON
     */
    OtherServer(Path folder, String group, String version, Function<HttpExchange, ObjectNode> answers)
            throws Exception {
        this.folder = folder;
        this.group = group;
        this.version = version;
        this.answers = answers;
        server = serve(0);
    }

    /** The path of what it serves. */
    String root() {
        return "/apis/" + group + "/" + version;
    }

    private String registration() {
        return version + "." + group;
    }

    void register(Client client) {
        client.resources(Service.class)
                .create(new ServiceBuilder()
                        .withNewMetadata()
                        .withNamespace("default")
                        .withName("other")
                        .endMetadata()
                        .withNewSpec()
                        .addNewPort()
                        .withName("https")
                        .withPort(443)
                        .endPort()
                        .endSpec()
                        .build());
        client.resources(EndpointSlice.class)
                .create(new EndpointSliceBuilder()
                        .withNewMetadata()
                        .withNamespace("default")
                        .withName("other-1")
                        .addToLabels("kubernetes.io/service-name", "other")
                        .endMetadata()
                        .withAddressType("IPv4")
                        .addNewEndpoint()
                        .withAddresses("127.0.0.1")
                        .withNewConditions()
                        .withReady(true)
                        .endConditions()
                        .endEndpoint()
                        .addNewPort()
                        .withName("https")
                        .withPort(server.getAddress().getPort())
                        .endPort()
                        .build());
        client.resources(APIService.class)
                .create(new APIServiceBuilder()
                        .withNewMetadata()
                        .withName(registration())
                        .endMetadata()
                        .withNewSpec()
                        .withGroup(group)
                        .withVersion(version)
                        .withGroupPriorityMinimum(1000)
                        .withVersionPriority(10)
                        .withInsecureSkipTLSVerify(true)
                        .withNewService("other", "default", null)
                        .endSpec()
                        .build());
        awaitAvailable(client, "True");
    }

    void awaitAvailable(Client client, String status) {
        eventually(
                "Available is " + status,
                () -> registered(client).getStatus() != null
                        && registered(client).getStatus().getConditions().stream()
                                .anyMatch(condition -> condition.getStatus().equals(status)),
                () -> registered(client));
    }

    private APIService registered(Client client) {
        return client.resources(APIService.class).get("", registration());
    }

    /** Is away for a time. */
    void stop() {
        server.stop(0);
    }

    /** Is there again, where it was. */
    void restart() throws Exception {
        server = serve(server.getAddress().getPort());
    }

    @Override
    public void close() {
        server.stop(0);
    }

    private HttpsServer serve(int port) throws Exception {
        HttpsServer fresh = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        fresh.setHttpsConfigurator(new HttpsConfigurator(identity()));
        fresh.setExecutor(Thread::startVirtualThread);
        fresh.createContext(root(), this::answer);
        fresh.start();
        return fresh;
    }

    private void answer(HttpExchange exchange) throws IOException {
        byte[] body = Json.encode(answers.apply(exchange));
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private SSLContext identity() throws Exception {
        Path file = folder.resolve("identity.p12");
        if (!Files.exists(file)) {
            Process making = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "keytool")
                                    .toString(),
                            "-genkeypair",
                            "-keyalg",
                            "EC",
                            "-dname",
                            "CN=other.default.svc",
                            "-storepass",
                            PASSWORD,
                            "-keystore",
                            file.toString())
                    .redirectErrorStream(true)
                    .start();
            String said = new String(making.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(making.waitFor()).as(said).isZero();
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD.toCharArray());
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance("PKIX");
        managers.init(store, PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }
}
