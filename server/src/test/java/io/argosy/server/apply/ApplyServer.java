package io.argosy.server.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.json.Yaml;
import io.argosy.api.time.Clock;
import io.argosy.server.ApiServer;
import io.argosy.server.TestCertificates;
import io.argosy.server.authn.Credentials;
import io.argosy.server.authn.KeyRing;
import io.argosy.server.authn.User;
import io.argosy.store.Store;
import io.argosy.store.sqlite.SqliteStore;
import io.netty.handler.ssl.SslContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** The real API server over HTTPS with a client that may do anything, for tests of who owns which field. */
final class ApplyServer implements AutoCloseable {
    static final String APPLY = "application/apply-patch+yaml";
    static final String MERGE = "application/merge-patch+json";
    static final String JSON = "application/json";

    private static final User ADMIN = new User("admin", List.of(User.MASTERS, User.AUTHENTICATED));

    private final Store store;
    private final ApiServer server;
    private final HttpClient client;

    /** An answer: its code and its body. */
    record Reply(int code, JsonNode body) {
        /** The fields that an entry of managedFields names, as text; empty if there is no such entry. */
        String fields(String manager, String operation, String subresource) {
            for (JsonNode entry : body.path("metadata").path("managedFields")) {
                if (entry.path("manager").asText().equals(manager)
                        && entry.path("operation").asText().equals(operation)
                        && entry.path("subresource").asText().equals(subresource)) {
                    return entry.path("fieldsV1").toString();
                }
            }
            return "";
        }

        List<String> managers() {
            List<String> managers = new ArrayList<>();
            body.path("metadata")
                    .path("managedFields")
                    .forEach(entry -> managers.add(entry.path("manager").asText()));
            return managers;
        }
    }

    ApplyServer(Path folder) throws Exception {
        TestCertificates certificates = new TestCertificates();
        SslContext tls = certificates.serverTls();
        client = HttpClient.newBuilder().sslContext(certificates.clientTls("")).build();
        store = SqliteStore.open(folder.resolve("state"));
        Supplier<KeyRing> noTokens = () -> {
            throw new IllegalStateException("nobody asks for tokens here");
        };
        server = new ApiServer(
                new ApiServer.Config("10.96.0.0/16", 30000, 32767), store, Credentials.of(noTokens), Clock.system());
        server.start();
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        server.listen(address, "127.0.0.1", () -> tls, (connection, headers) -> ADMIN, null);
        post("/api/v1/namespaces", "{metadata: {name: default}}");
    }

    int port() {
        return server.address().getPort();
    }

    ApiServer server() {
        return server;
    }

    Reply get(String path) throws Exception {
        return send("GET", path, JSON, "");
    }

    Reply post(String path, String yaml) throws Exception {
        return send("POST", path, "application/yaml", yaml);
    }

    Reply put(String path, JsonNode object) throws Exception {
        return send("PUT", path, JSON, object.toString());
    }

    Reply merge(String path, String json) throws Exception {
        return send("PATCH", path, MERGE, json);
    }

    /** Server-side apply; the query names at least the field manager. */
    Reply apply(String path, String query, String yaml) throws Exception {
        return send("PATCH", path + "?" + query, APPLY, yaml);
    }

    Reply send(String method, String path, String contentType, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + port() + path))
                .method(method, HttpRequest.BodyPublishers.ofString(body, StandardCharsets.UTF_8))
                .header("content-type", contentType)
                .header("user-agent", "tester/1.0 (linux)")
                .build();
        HttpResponse<byte[]> answer = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
        return new Reply(answer.statusCode(), Json.decode(answer.body()));
    }

    static ObjectNode yaml(String text) throws Exception {
        return (ObjectNode) Yaml.decode(text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        client.close();
        server.close();
        store.close();
    }
}
