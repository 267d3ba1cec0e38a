package io.argosy.server.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.time.Clock;
import io.argosy.server.registry.Registry;
import io.argosy.server.registry.ResourceStore;
import io.argosy.server.registry.ResourceStore.Deleted;
import java.util.List;

/** The parts of objects that have a path and rules of their own. */
final class Subresources {
    private final Bindings bindings;
    private final Evictions evictions;
    private final TokenRequests tokens;
    private final Scales scales;

    Subresources(Registry registry, Clock clock, TokenRequests tokens, Parts parts) {
        this.bindings = new Bindings(clock, parts);
        this.evictions = new Evictions(registry, clock, parts);
        this.scales = new Scales(parts);
        this.tokens = tokens;
    }

    Answer handle(ResourceStore store, ResourceRequest request) {
        return switch (request.subresource()) {
            case "scale" -> scales.handle(store, request);
            case "binding" -> bindings.bind(store, request);
            case "eviction" -> evict(store, request);
            case "token" -> tokens.handle(store, request);
            default -> whole(store, request);
        };
    }

    /** Subresources that read and write the object itself, such as status, finalize and ephemeralcontainers. */
    private static Answer whole(ResourceStore store, ResourceRequest request) {
        return switch (request.verb()) {
            case "get" -> Reads.get(store, request);
            case "update" -> Writes.update(store, request, () -> {});
            case "patch" -> Writes.patch(store, request, () -> {});
            default -> throw notAllowed();
        };
    }

    private Answer evict(ResourceStore store, ResourceRequest request) {
        List<String> warnings = request.warnings();
        Deleted deleted = evictions.evict(store, request, warnings);
        return new Answer(201, success(), deleted.revision(), warnings);
    }

    static byte[] success() {
        ObjectNode status = Json.object().put("kind", "Status").put("apiVersion", "v1");
        status.putObject("metadata");
        return Json.encode(status.put("status", "Success").put("code", 201));
    }

    static ApiException conflict(ResourceStore store, ResourceRequest request, String why) {
        return ApiException.conflict(store.resource(), request.name(), why);
    }

    static ApiException notAllowed() {
        return new ApiException(
                io.argosy.api.status.Reason.MethodNotAllowed,
                "the server does not allow this method on the requested resource");
    }
}
