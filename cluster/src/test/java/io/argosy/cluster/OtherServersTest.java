package io.argosy.cluster;

import static io.argosy.cluster.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.argosy.api.json.Json;
import io.argosy.client.Client;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.store.memory.MemoryLog;
import io.fabric8.kubernetes.api.model.APIService;
import io.fabric8.kubernetes.api.model.APIServiceBuilder;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A namespace that goes away takes along what another API server keeps in it, and waits for that server. */
@Timeout(120)
class OtherServersTest {
    private static final String ROOT = "/apis/widgets.example.com/v1";
    private static final String PASSWORD = "changeit";

    @TempDir
    static Path folder;

    private final Cluster cluster =
            Cluster.builder().inMemory(new MemoryLog()).simulatedNodes(1).start();
    private final Client client = cluster.client();
    /** What the other server keeps, as namespace/name. */
    private final Set<String> widgets = ConcurrentHashMap.newKeySet();

    private HttpsServer other;

    @BeforeEach
    void register() throws Exception {
        other = serve(0);
        client.resources(Service.class)
                .create(new ServiceBuilder()
                        .withNewMetadata()
                        .withNamespace("default")
                        .withName("widgets")
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
                        .withName("widgets-1")
                        .addToLabels("kubernetes.io/service-name", "widgets")
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
                        .withPort(other.getAddress().getPort())
                        .endPort()
                        .build());
        client.resources(APIService.class)
                .create(new APIServiceBuilder()
                        .withNewMetadata()
                        .withName("v1.widgets.example.com")
                        .endMetadata()
                        .withNewSpec()
                        .withGroup("widgets.example.com")
                        .withVersion("v1")
                        .withGroupPriorityMinimum(1000)
                        .withVersionPriority(10)
                        .withInsecureSkipTLSVerify(true)
                        .withNewService("widgets", "default", null)
                        .endSpec()
                        .build());
        available("True");
    }

    @AfterEach
    void close() {
        other.stop(0);
        cluster.close();
    }

    private void available(String status) {
        eventually(
                "Available is " + status,
                () -> registration().getStatus() != null
                        && registration().getStatus().getConditions().stream()
                                .anyMatch(condition -> condition.getStatus().equals(status)),
                this::registration);
    }

    private APIService registration() {
        return client.resources(APIService.class).get("", "v1.widgets.example.com");
    }

    private HttpsServer serve(int port) throws Exception {
        HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(identity()));
        server.setExecutor(Thread::startVirtualThread);
        server.createContext(ROOT, this::answer);
        server.start();
        return server;
    }

    private static SSLContext identity() throws Exception {
        Path file = folder.resolve("identity.p12");
        if (!Files.exists(file)) {
            Process making = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "keytool")
                                    .toString(),
                            "-genkeypair",
                            "-keyalg",
                            "EC",
                            "-dname",
                            "CN=widgets.default.svc",
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

    /** Discovery, a list of a namespace's widgets, and the deletion of all of them. */
    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        ObjectNode answer = Json.object();
        if (path.equals(ROOT)) {
            answer.put("kind", "APIResourceList").put("apiVersion", "v1").put("groupVersion", "widgets.example.com/v1");
            ObjectNode resource = answer.putArray("resources").addObject();
            resource.put("name", "widgets")
                    .put("singularName", "widget")
                    .put("kind", "Widget")
                    .put("namespaced", true);
            ArrayNode verbs = resource.putArray("verbs");
            List.of("delete", "deletecollection", "get", "list").forEach(verbs::add);
        } else {
            String namespace = path.split("/")[5];
            answer.put("kind", "WidgetList").put("apiVersion", "widgets.example.com/v1");
            answer.putObject("metadata").put("resourceVersion", "1");
            ArrayNode items = answer.putArray("items");
            for (String widget : Set.copyOf(widgets)) {
                if (widget.startsWith(namespace + "/")) {
                    items.addObject()
                            .putObject("metadata")
                            .put("namespace", namespace)
                            .put("name", widget);
                }
            }
            if (exchange.getRequestMethod().equals("DELETE")) {
                widgets.removeIf(widget -> widget.startsWith(namespace + "/"));
            }
        }
        byte[] body = Json.encode(answer);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private void shop() {
        client.resources(Namespace.class)
                .create(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName("shop")
                        .endMetadata()
                        .build());
        widgets.addAll(List.of("shop/one", "shop/two", "default/three"));
    }

    private boolean isGone() {
        return client.resources(Namespace.class).find("", "shop").isEmpty();
    }

    private String conditions() {
        return client.resources(Namespace.class)
                .find("", "shop")
                .map(namespace -> namespace.getStatus().getConditions().stream()
                        .map(one ->
                                one.getType() + "=" + one.getStatus() + " " + one.getReason() + ": " + one.getMessage())
                        .collect(Collectors.joining("\n")))
                .orElse("gone");
    }

    @Test
    void whatAnotherServerKeepsGoesWithTheNamespace() {
        shop();
        client.resources(Namespace.class).delete("", "shop", DeleteOptions.DEFAULT);
        eventually("the namespace is gone", this::isGone, this::conditions);
        assertThat(widgets).containsExactly("default/three");
    }

    @Test
    void theNamespaceWaitsForAServerThatIsAway() throws Exception {
        shop();
        int port = other.getAddress().getPort();
        other.stop(0);
        client.resources(Namespace.class).delete("", "shop", DeleteOptions.DEFAULT);
        String said =
                "NamespaceDeletionDiscoveryFailure=True DiscoveryFailed: Discovery failed for some groups, 1 failing:"
                        + " unable to retrieve the complete list of server APIs:"
                        + " widgets.example.com/v1: stale GroupVersion discovery: widgets.example.com/v1";
        eventually("it says why it stays", () -> conditions().contains(said), this::conditions);
        assertThat(client.resources(ConfigMap.class).list("shop", Map.of()))
                .as("what this server keeps does not wait")
                .isEmpty();
        available("False");
        other = serve(port);
        eventually("the namespace is gone", this::isGone, this::conditions);
        assertThat(widgets).containsExactly("default/three");
    }
}
