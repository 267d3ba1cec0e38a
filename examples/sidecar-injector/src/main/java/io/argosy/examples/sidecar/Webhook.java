package io.argosy.examples.sidecar;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.argosy.api.json.Json;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;

/** Answers the API server, which asks about every pod of the namespaces that want proxies. */
final class Webhook {
    private static final int PORT = 8443;

    private final Injection injection;

    Webhook(Injection injection) {
        this.injection = injection;
    }

    void start(Identity identity) throws IOException {
        HttpsServer server = HttpsServer.create(new InetSocketAddress(PORT), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(identity.context()));
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/inject", this::answer);
        server.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            JsonNode review = Json.decode(exchange.getRequestBody().readAllBytes());
            JsonNode request = review.path("request");
            List<String> warnings = new ArrayList<>();
            ArrayNode patch = injection.patch(
                    request.path("object"), request.path("namespace").asText(), warnings);
            ObjectNode answer = Json.object();
            answer.set("apiVersion", review.path("apiVersion"));
            answer.set("kind", review.path("kind"));
            ObjectNode response = answer.putObject("response");
            response.set("uid", request.path("uid"));
            response.put("allowed", true).put("patchType", "JSONPatch").put("patch", Json.encode(patch));
            warnings.forEach(response.putArray("warnings")::add);
            byte[] body = Json.encode(answer);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }
}
