package io.argosy.server.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.argosy.api.json.Json;
import io.argosy.server.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;

/** A real HTTPS server on this machine that answers as a test says, and remembers what it was asked. */
public final class TestWebhook implements AutoCloseable {
    private final HttpsServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final String authority;
    private final List<JsonNode> asked = new CopyOnWriteArrayList<>();
    private final List<String> connections = new CopyOnWriteArrayList<>();

    /** One that may be called by these names, beside localhost. */
    public TestWebhook(TestServer beside, String... names) throws Exception {
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 64);
        server.setHttpsConfigurator(new HttpsConfigurator(beside.serverIdentity(names)));
        server.setExecutor(threads);
        server.start();
        authority = Base64.getEncoder().encodeToString(beside.authority().getBytes(StandardCharsets.US_ASCII));
    }

    public int port() {
        return server.getAddress().getPort();
    }

    public String authority() {
        return authority;
    }

    /** Every question so far, in order. */
    public List<JsonNode> asked() {
        return asked;
    }

    /** The client's ports, each once for every question. */
    public List<String> connections() {
        return connections;
    }

    /** Answers questions on a path. */
    public TestWebhook on(String path, UnaryOperator<JsonNode> answer) {
        return raw(path, exchange -> {
            byte[] body = Json.encode(answer.apply(question(exchange)));
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
    }

    public TestWebhook raw(String path, HttpHandler handler) {
        server.createContext(path, handler);
        return this;
    }

    public JsonNode question(HttpExchange exchange) throws IOException {
        JsonNode question = Json.decode(exchange.getRequestBody().readAllBytes());
        connections.add(exchange.getRemoteAddress().toString());
        asked.add(question);
        return question;
    }

    /** The clientConfig of a configuration that leads to a path here. */
    public String at(String path) {
        return "{'url':'https://127.0.0.1:" + port() + path + "','caBundle':'" + authority + "'}";
    }

    public static ObjectNode allow(JsonNode question) {
        ObjectNode review = Json.object();
        review.set("kind", question.path("kind"));
        review.set("apiVersion", question.path("apiVersion"));
        review.putObject("response")
                .put("uid", question.path("request").path("uid").asText())
                .put("allowed", true);
        return review;
    }

    public static ObjectNode deny(JsonNode question, String message) {
        ObjectNode review = allow(question);
        review.withObject("/response").put("allowed", false);
        review.withObject("/response/status").put("message", message);
        return review;
    }

    /** Allows with a JSON patch, written with single quotes. */
    public static ObjectNode patch(JsonNode question, String patch) {
        ObjectNode review = allow(question);
        byte[] bytes = patch.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
        review.withObject("/response")
                .put("patchType", "JSONPatch")
                .put("patch", Base64.getEncoder().encodeToString(bytes));
        return review;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
