package io.argosy.cluster;

import static io.argosy.cluster.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import io.argosy.api.json.Json;
import io.argosy.client.Client;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.store.memory.MemoryLog;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A namespace that goes away takes along what another API server keeps in it, and waits for that server. */
@Timeout(120)
class OtherServersTest {
    @TempDir
    static Path folder;

    private final Cluster cluster =
            Cluster.builder().inMemory(new MemoryLog()).simulatedNodes(1).start();
    private final Client client = cluster.client();
    /** What the other server keeps, as namespace/name. */
    private final Set<String> widgets = ConcurrentHashMap.newKeySet();

    private OtherServer other;

    @BeforeEach
    void register() throws Exception {
        other = new OtherServer(folder, "widgets.example.com", "v1", this::answer);
        other.register(client);
    }

    @AfterEach
    void close() {
        other.close();
        cluster.close();
    }

    /** Discovery, a list of a namespace's widgets, and the deletion of all of them. */
    private ObjectNode answer(HttpExchange exchange) {
        String path = exchange.getRequestURI().getPath();
        ObjectNode answer = Json.object();
        if (path.equals(other.root())) {
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
        return answer;
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
        other.stop();
        client.resources(Namespace.class).delete("", "shop", DeleteOptions.DEFAULT);
        String said =
                "NamespaceDeletionDiscoveryFailure=True DiscoveryFailed: Discovery failed for some groups, 1 failing:"
                        + " unable to retrieve the complete list of server APIs:"
                        + " widgets.example.com/v1: stale GroupVersion discovery: widgets.example.com/v1";
        eventually("it says why it stays", () -> conditions().contains(said), this::conditions);
        assertThat(client.resources(ConfigMap.class).list("shop", Map.of()))
                .as("what this server keeps does not wait")
                .isEmpty();
        other.awaitAvailable(client, "False");
        other.restart();
        eventually("the namespace is gone", this::isGone, this::conditions);
        assertThat(widgets).containsExactly("default/three");
    }
}
