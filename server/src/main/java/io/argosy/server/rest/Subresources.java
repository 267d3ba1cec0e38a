package io.argosy.server.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.time.Clock;
import io.argosy.server.registry.Admission.Operation;
import io.argosy.server.registry.Metadata;
import io.argosy.server.registry.Registry;
import io.argosy.server.registry.ResourceStore;
import io.argosy.server.registry.ResourceStore.Deleted;
import io.argosy.server.registry.ResourceStore.Written;
import io.argosy.server.registry.WriteOptions;
import java.util.List;
import java.util.function.UnaryOperator;

/** The parts of objects that have a path and rules of their own. */
final class Subresources {
    private static final GroupVersionKind BINDING = new GroupVersionKind("", "v1", "Binding");

    private final Clock clock;
    private final Evictions evictions;
    private final TokenRequests tokens;
    private final Scales scales;
    private final Parts parts;

    Subresources(Registry registry, Clock clock, TokenRequests tokens, Parts parts) {
        this.clock = clock;
        this.evictions = new Evictions(registry, clock, parts);
        this.scales = new Scales(parts);
        this.parts = parts;
        this.tokens = tokens;
    }

    Answer handle(ResourceStore store, ResourceRequest request) {
        return switch (request.subresource()) {
            case "scale" -> scales.handle(store, request);
            case "binding" -> bind(store, request);
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

    /** Puts a pod on a node, once. */
    private Answer bind(ResourceStore store, ResourceRequest request) {
        List<String> warnings = request.warnings();
        ObjectNode binding = Bodies.object(request, BINDING, warnings::add);
        WriteOptions options = Writes.options(request, warnings);
        parts.admit(Operation.CREATE, store.type(), request, BINDING, binding, null, options);
        String node = binding.path("target").path("name").asText("");
        if (node.isEmpty()) {
            throw ApiException.invalid(
                    "",
                    "Binding",
                    request.name(),
                    List.of(new io.argosy.api.status.Cause("FieldValueRequired", "Required value", "target.name")));
        }
        String expectedUid = binding.path("metadata").path("uid").asText("");
        UnaryOperator<ObjectNode> change = pod -> {
            Metadata metadata = Metadata.of(pod);
            if (!expectedUid.isEmpty() && !expectedUid.equals(metadata.uid())) {
                throw conflict(
                        store,
                        request,
                        "Precondition failed: UID in precondition: " + expectedUid + ", UID in object meta: "
                                + metadata.uid());
            }
            if (metadata.isBeingDeleted()) {
                throw conflict(
                        store, request, "pod " + request.name() + " is being deleted, cannot be assigned to a host");
            }
            String current = pod.path("spec").path("nodeName").asText("");
            if (!current.isEmpty()) {
                throw conflict(
                        store, request, "pod " + request.name() + " is already assigned to node \"" + current + "\"");
            }
            if (!pod.path("spec").path("schedulingGates").isEmpty()) {
                throw conflict(store, request, "pod " + request.name() + " has non-empty .spec.schedulingGates");
            }
            metadata.node().remove("resourceVersion");
            ((ObjectNode) pod.get("status")).remove("nominatedNodeName");
            ((ObjectNode) pod.get("spec")).put("nodeName", node);
            scheduled((ObjectNode) pod.get("status"));
            return pod;
        };
        Written written = store.update(request.namespace(), request.name(), "binding", change, options);
        return new Answer(201, success(), written.revision(), warnings);
    }

    private void scheduled(ObjectNode status) {
        ArrayNode conditions =
                status.get("conditions") instanceof ArrayNode found ? found : status.putArray("conditions");
        for (int i = conditions.size() - 1; i >= 0; i--) {
            if (conditions.get(i).path("type").asText().equals("PodScheduled")) {
                conditions.remove(i);
            }
        }
        conditions
                .addObject()
                .put("type", "PodScheduled")
                .put("status", "True")
                .put("lastTransitionTime", Metadata.time(clock.now()));
    }

    private Answer evict(ResourceStore store, ResourceRequest request) {
        List<String> warnings = request.warnings();
        Deleted deleted = evictions.evict(store, request, warnings);
        return new Answer(201, success(), deleted.revision(), warnings);
    }

    private static byte[] success() {
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
