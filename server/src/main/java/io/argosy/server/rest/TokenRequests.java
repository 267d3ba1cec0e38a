package io.argosy.server.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupResource;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Cause;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.authn.ServiceAccountTokens;
import io.argosy.server.authn.ServiceAccountTokens.Bound;
import io.argosy.server.authn.ServiceAccountTokens.Issued;
import io.argosy.server.registry.Admission.Operation;
import io.argosy.server.registry.Metadata;
import io.argosy.server.registry.Registry;
import io.argosy.server.registry.ResourceStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The token of a service account, signed on request and kept nowhere. */
final class TokenRequests {
    private static final GroupVersionKind KIND = new GroupVersionKind("authentication.k8s.io", "v1", "TokenRequest");
    private static final long DEFAULT_SECONDS = 3600;
    private static final long LEAST_SECONDS = 600;
    private static final long MOST_SECONDS = 1L << 32;

    private final Registry registry;
    private final ServiceAccountTokens tokens;
    private final Parts parts;

    TokenRequests(Registry registry, ServiceAccountTokens tokens, Parts parts) {
        this.parts = parts;
        this.registry = registry;
        this.tokens = tokens;
    }

    Answer handle(ResourceStore accounts, ResourceRequest request) {
        List<String> warnings = request.warnings();
        ObjectNode body = Bodies.object(request, KIND, warnings::add);
        address(body.path("metadata"), request);
        JsonNode account = Json.decodeObject(
                accounts.get(request.namespace(), request.name()).json());
        sameAccount(body.path("metadata").path("uid").asText(""), account, request.name());
        parts.admit(Operation.CREATE, accounts.type(), request, KIND, body, null, Writes.options(request, warnings));
        ObjectNode spec = body.get("spec") instanceof ObjectNode given ? given : body.putObject("spec");
        Duration life = Duration.ofSeconds(seconds(spec));
        List<String> audiences = audiences(spec);
        List<Bound> bound = bound(spec.path("boundObjectRef"), request);
        ObjectNode metadata = body.putObject("metadata");
        metadata.put("name", request.name())
                .put("namespace", request.namespace())
                .put("uid", uid(account));
        if (request.dryRun()) {
            return new Answer(201, Json.encode(body), 0, warnings);
        }
        Issued issued = tokens.issue(account, audiences, life, bound);
        request.annotations().put("authentication.kubernetes.io/issued-credential-id", issued.credentialId());
        body.putObject("status")
                .put("token", issued.token())
                .put("expirationTimestamp", Metadata.time(issued.expiresAt()));
        return new Answer(201, Json.encode(body), 0, warnings);
    }

    /** Who says whose token it is says the same as the path. */
    private static void address(JsonNode metadata, ResourceRequest request) {
        FieldErrors errors = new FieldErrors();
        String name = metadata.path("name").asText("");
        String namespace = metadata.path("namespace").asText("");
        if (!name.isEmpty() && !name.equals(request.name())) {
            errors.invalid("metadata.name", name, "must match the service account name if specified");
        } else if (!namespace.isEmpty() && !namespace.equals(request.namespace())) {
            errors.invalid("metadata.namespace", namespace, "must match the service account namespace if specified");
        }
        if (!errors.isEmpty()) {
            throw ApiException.invalid(KIND.group(), KIND.kind(), request.name(), errors.causes());
        }
    }

    /** A token for one that is gone is not given in the name of its successor. */
    private static void sameAccount(String wanted, JsonNode account, String name) {
        String uid = uid(account);
        if (!wanted.isEmpty() && !wanted.equals(uid)) {
            throw ApiException.conflict(
                    new GroupResource(KIND.group(), KIND.kind()),
                    name,
                    "the UID in the token request (" + wanted + ") does not match the UID of the service account ("
                            + uid + ")");
        }
    }

    private static long seconds(ObjectNode spec) {
        long seconds = spec.path("expirationSeconds").asLong(DEFAULT_SECONDS);
        if (seconds < LEAST_SECONDS) {
            throw invalid("Invalid value: " + seconds + ": may not specify a duration less than 10 minutes");
        }
        if (seconds > MOST_SECONDS) {
            throw invalid("Invalid value: " + seconds + ": may not specify a duration larger than 2^32 seconds");
        }
        spec.put("expirationSeconds", seconds);
        return seconds;
    }

    private static ApiException invalid(String message) {
        return ApiException.invalid(
                KIND.group(),
                KIND.kind(),
                "",
                List.of(new Cause("FieldValueInvalid", message, "spec.expirationSeconds")));
    }

    private static List<String> audiences(ObjectNode spec) {
        ArrayNode given = spec.get("audiences") instanceof ArrayNode found ? found : spec.putArray("audiences");
        if (given.isEmpty()) {
            given.add(ServiceAccountTokens.ISSUER);
        }
        List<String> audiences = new ArrayList<>();
        given.forEach(audience -> audiences.add(audience.asText()));
        return audiences;
    }

    private List<Bound> bound(JsonNode reference, ResourceRequest request) {
        if (!reference.isObject()) {
            return List.of();
        }
        String kind = reference.path("kind").asText();
        String version = reference.path("apiVersion").asText("v1");
        if (version.contains("/")) {
            throw ApiException.badRequest("cannot bind token to object of type " + version + ", Kind=" + kind);
        }
        return switch (kind) {
            case "Pod" -> boundPod(reference, request);
            case "Secret" -> List.of(bound("secret", "secrets", request.namespace(), reference));
            case "Node" -> List.of(bound("node", "nodes", "", reference));
            default ->
                throw ApiException.badRequest("cannot bind token to object of type /" + version + ", Kind=" + kind);
        };
    }

    private List<Bound> boundPod(JsonNode reference, ResourceRequest request) {
        String name = reference.path("name").asText();
        JsonNode spec = Json.decodeObject(registry.store("", "pods")
                        .get(request.namespace(), name)
                        .json())
                .path("spec");
        if (!spec.path("serviceAccountName").asText().equals(request.name())) {
            throw ApiException.badRequest("cannot bind token for serviceaccount \"" + request.name()
                    + "\" to pod running with different serviceaccount name.");
        }
        List<Bound> bound = new ArrayList<>();
        bound.add(bound("pod", "pods", request.namespace(), reference));
        String node = spec.path("nodeName").asText("");
        var found = node.isEmpty() ? null : registry.store("", "nodes").find("", node);
        if (found != null) {
            bound.add(new Bound("node", node, uid(Json.decodeObject(found.json()))));
        }
        return bound;
    }

    private Bound bound(String kind, String resource, String namespace, JsonNode reference) {
        String name = reference.path("name").asText();
        String uid = uid(Json.decodeObject(
                registry.store("", resource).get(namespace, name).json()));
        String expected = reference.path("uid").asText("");
        if (!expected.isEmpty() && !expected.equals(uid)) {
            throw ApiException.conflict(
                    new GroupResource("", reference.path("kind").asText()),
                    name,
                    "the UID in the bound object reference (" + expected
                            + ") does not match the UID in record. The object might have been deleted and then"
                            + " recreated");
        }
        return new Bound(kind, name, uid);
    }

    private static String uid(JsonNode object) {
        return object.path("metadata").path("uid").asText();
    }
}
