package io.argosy.server.aggregation;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.GroupVersion;
import io.argosy.api.json.Json;
import io.argosy.server.cache.CachedObject;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Who answers for a version of the API: another server behind a service.
 *
 * @param authority certificates as PEM text that the server's certificate is judged by; empty for those the system trusts
 * @param insecure whether its certificate is not looked at
 */
public record ApiService(
        String name,
        GroupVersion version,
        int groupPriority,
        int versionPriority,
        String namespace,
        String service,
        int port,
        String authority,
        boolean insecure,
        boolean available) {
    static final String GROUP = "apiregistration.k8s.io";
    static final String RESOURCE = "apiservices";
    static final int DEFAULT_PORT = 443;

    static ApiService read(CachedObject stored) {
        return read(Json.decodeObject(stored.json()));
    }

    static ApiService read(JsonNode object) {
        JsonNode spec = object.path("spec");
        JsonNode service = spec.path("service");
        byte[] bundle = Base64.getMimeDecoder().decode(spec.path("caBundle").asText(""));
        return new ApiService(
                object.path("metadata").path("name").asText(),
                new GroupVersion(
                        spec.path("group").asText(""), spec.path("version").asText("")),
                spec.path("groupPriorityMinimum").asInt(),
                spec.path("versionPriority").asInt(),
                service.path("namespace").asText(""),
                service.path("name").asText(""),
                service.path("port").asInt(DEFAULT_PORT),
                new String(bundle, StandardCharsets.US_ASCII),
                spec.path("insecureSkipTLSVerify").asBoolean(),
                isAvailable(object));
    }

    private static boolean isAvailable(JsonNode object) {
        for (JsonNode condition : object.path("status").path("conditions")) {
            if (condition.path("type").asText().equals("Available")) {
                return condition.path("status").asText().equals("True");
            }
        }
        return false;
    }

    /** Whether this server answers itself. */
    boolean isLocal() {
        return service.isEmpty();
    }

    /** The name its certificate must be for. */
    String host() {
        return service + "." + namespace + ".svc";
    }

    /** Below this path everything is the server's. */
    String root() {
        return "/apis/" + version;
    }
}
