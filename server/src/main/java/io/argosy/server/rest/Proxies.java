package io.argosy.server.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.http.HttpCall;
import io.argosy.server.http.HttpReply;
import io.argosy.server.proxy.Destination;
import io.argosy.server.proxy.Destinations;
import io.argosy.server.proxy.Forwarded;
import io.argosy.server.proxy.Relay;
import io.argosy.server.stream.NodeGateway;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Requests that are meant for a server inside the cluster: in a pod, behind a service, or on a node. */
final class Proxies {
    /** Segments of the path in front of what is passed on: {@code /api/v1/namespaces/NAMESPACE/pods/NAME/proxy}. */
    private static final int NAMESPACED = 7;

    private static final int OF_NODE = 5;

    private final Api api;
    private final Destinations destinations;
    private final PodConnections pods;
    private final NodeGateway nodes;

    Proxies(Api api, PodConnections pods, NodeGateway nodes) {
        this.api = api;
        this.destinations = new Destinations(api.registry());
        this.pods = pods;
        this.nodes = nodes;
    }

    void handle(ResourceRequest request, HttpCall call, HttpReply reply) throws InterruptedException {
        Forwarded forwarded = Forwarded.of(call, request.type().namespaced() ? NAMESPACED : OF_NODE);
        switch (request.type().groupResource().toString()) {
            case "pods" -> relay(destinations.pod(request.namespace(), request.name()), forwarded, reply);
            case "services" -> relay(destinations.service(request.namespace(), request.name()), forwarded, reply);
            case "nodes" -> {
                Destinations.OfNode node = destinations.node(request.name());
                if (node.port().isPresent()) {
                    relay(node.port().get(), forwarded, reply);
                } else {
                    agent(node.name(), request, call, reply);
                }
            }
            default -> throw RestHandler.noSuchPath();
        }
    }

    private static void relay(Destination to, Forwarded forwarded, HttpReply reply) throws InterruptedException {
        String method = forwarded.call().method();
        if (forwarded.lacksSlash() && (method.equals("GET") || method.equals("HEAD"))) {
            String query =
                    forwarded.call().target().substring(forwarded.prefix().length());
            reply.send(301, Map.of("location", forwarded.prefix() + "/" + query), List.of(), List.of());
            return;
        }
        Relay.run(to, forwarded, reply);
    }

    /** What there is to ask a node's agent, which lives in this process and not behind a port. */
    private void agent(String node, ResourceRequest request, HttpCall call, HttpReply reply)
            throws InterruptedException {
        if (!call.method().equals("GET") && !call.method().equals("HEAD")) {
            throw Subresources.notAllowed();
        }
        String[] parts = request.rest().split("/");
        switch (parts[0]) {
            case "healthz" -> health(node, reply);
            case "pods" -> reply.send(200, "application/json", podsOf(node));
            case "containerLogs" -> {
                if (parts.length != 4) {
                    throw RestHandler.noSuchPath();
                }
                ObjectNode pod = Json.decodeObject(
                        api.registry().store("", "pods").get(parts[1], parts[2]).json());
                if (!pod.at("/spec/nodeName").asText("").equals(node)) {
                    throw ApiException.notFound(api.registry().store("", "pods").resource(), parts[2]);
                }
                pods.log(node, pod, parts[3], request, reply);
            }
            default -> {
                Map<String, String> parameters = new HashMap<>();
                request.params()
                        .values()
                        .keySet()
                        .forEach(name -> parameters.put(name, request.params().text(name)));
                NodeGateway.Page page =
                        nodes.page(node, request.rest(), parameters).orElseThrow(RestHandler::noSuchPath);
                reply.send(200, page.contentType(), page.content());
            }
        }
    }

    private void health(String name, HttpReply reply) {
        ObjectNode node = Json.decodeObject(
                api.registry().store("", "nodes").get("", name).json());
        boolean ready = false;
        for (JsonNode condition : node.at("/status/conditions")) {
            ready |= condition.path("type").asText().equals("Ready")
                    && condition.path("status").asText().equals("True");
        }
        reply.send(
                ready ? 200 : 500,
                "text/plain; charset=utf-8",
                (ready ? "ok" : "node is not ready").getBytes(StandardCharsets.UTF_8));
    }

    private byte[] podsOf(String node) {
        ObjectNode list = Json.object().put("kind", "PodList").put("apiVersion", "v1");
        list.putObject("metadata");
        ArrayNode items = list.putArray("items");
        for (CachedObject pod : api.registry().store("", "pods").snapshot("").objects()) {
            ObjectNode tree = Json.decodeObject(pod.json());
            if (tree.at("/spec/nodeName").asText("").equals(node)) {
                items.add(tree);
            }
        }
        return Json.encode(list);
    }
}
