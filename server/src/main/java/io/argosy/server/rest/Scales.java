package io.argosy.server.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.json.Json;
import io.argosy.api.patch.JsonPatch;
import io.argosy.api.patch.MergePatch;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Cause;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.ResourceStore;
import io.argosy.server.registry.ResourceStore.Written;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** The scale of a workload: its number of replicas in a form that is the same for all kinds. */
final class Scales {
    private static final GroupVersionKind SCALE = new GroupVersionKind("autoscaling", "v1", "Scale");

    private Scales() {}

    static Answer handle(ResourceStore store, ResourceRequest request) {
        CachedObject current = store.get(request.namespace(), request.name());
        if (request.verb().equals("get")) {
            return Answer.ok(Json.encode(scaleOf(Json.decodeObject(current.json()))), current.revision());
        }
        List<String> warnings = new ArrayList<>();
        if (Applies.isApply(request)) {
            return applied(store, request, warnings);
        }
        UnaryOperator<ObjectNode> edit = edit(request, warnings);
        Written written = store.update(
                request.namespace(),
                request.name(),
                "scale",
                object -> {
                    ObjectNode scale = edit.apply(scaleOf(object));
                    JsonNode replicas = scale.path("spec").path("replicas");
                    checkReplicas(replicas, request);
                    String version =
                            scale.path("metadata").path("resourceVersion").asText("");
                    if (version.isEmpty()) {
                        ((ObjectNode) object.get("metadata")).remove("resourceVersion");
                    } else {
                        ((ObjectNode) object.get("metadata")).put("resourceVersion", version);
                    }
                    ((ObjectNode) object.get("spec")).put("replicas", replicas.asInt());
                    return object;
                },
                Writes.options(request, warnings));
        return new Answer(200, Json.encode(scaleOf(Json.decodeObject(written.json()))), written.revision(), warnings);
    }

    /** An applied scale is an applied object that says nothing but its replicas. */
    private static Answer applied(ResourceStore store, ResourceRequest request, List<String> warnings) {
        ObjectNode scale = Applies.config(request, SCALE, warnings);
        JsonNode replicas = scale.path("spec").path("replicas");
        checkReplicas(replicas, request);
        ObjectNode config = Json.object()
                .put("kind", request.type().kind())
                .put("apiVersion", request.type().groupVersion().toString());
        config.set("metadata", scale.get("metadata"));
        config.putObject("spec").put("replicas", replicas.asInt());
        Written written = store.apply(
                request.namespace(), request.name(), "scale", config, Writes.options(request, warnings));
        return new Answer(200, Json.encode(scaleOf(Json.decodeObject(written.json()))), written.revision(), warnings);
    }

    private static void checkReplicas(JsonNode replicas, ResourceRequest request) {
        if (replicas.asLong() < 0) {
            throw ApiException.invalid(
                    "autoscaling",
                    "Scale",
                    request.name(),
                    List.of(new Cause(
                            "FieldValueInvalid",
                            "Invalid value: " + replicas + ": must be greater than or equal to 0",
                            "spec.replicas")));
        }
    }

    private static UnaryOperator<ObjectNode> edit(ResourceRequest request, List<String> warnings) {
        if (request.verb().equals("update")) {
            ObjectNode sent = Bodies.object(request, SCALE, warnings::add);
            return scale -> sent;
        }
        String mediaType = Bodies.mediaType(request.contentType());
        JsonNode patch = Bodies.decode(request.body(), mediaType);
        return scale -> {
            ((ObjectNode) scale.get("metadata")).remove("resourceVersion");
            return (ObjectNode)
                    (mediaType.equals("application/json-patch+json")
                            ? JsonPatch.apply(scale, patch)
                            : MergePatch.apply(scale, patch));
        };
    }

    private static ObjectNode scaleOf(ObjectNode object) {
        ObjectNode scale = Json.object().put("kind", "Scale").put("apiVersion", "autoscaling/v1");
        ObjectNode metadata = scale.putObject("metadata");
        for (String field : List.of("name", "namespace", "uid", "resourceVersion", "creationTimestamp")) {
            if (object.path("metadata").has(field)) {
                metadata.set(field, object.path("metadata").get(field));
            }
        }
        scale.putObject("spec")
                .put("replicas", object.path("spec").path("replicas").asInt());
        scale.putObject("status")
                .put("replicas", object.path("status").path("replicas").asInt())
                .put("selector", selector(object.path("spec").path("selector")));
        return scale;
    }

    /** The selector as text, as clients use it in queries. */
    private static String selector(JsonNode selector) {
        List<String> clauses = new ArrayList<>();
        boolean structured = selector.has("matchLabels") || selector.has("matchExpressions");
        JsonNode labels = structured ? selector.path("matchLabels") : selector;
        labels.properties()
                .forEach(label ->
                        clauses.add(label.getKey() + "=" + label.getValue().asText()));
        for (JsonNode expression : selector.path("matchExpressions")) {
            List<String> values = new ArrayList<>();
            expression.path("values").forEach(value -> values.add(value.asText()));
            String key = expression.path("key").asText();
            clauses.add(
                    switch (expression.path("operator").asText()) {
                        case "In" -> key + " in (" + String.join(",", values) + ")";
                        case "NotIn" -> key + " notin (" + String.join(",", values) + ")";
                        case "DoesNotExist" -> "!" + key;
                        default -> key;
                    });
        }
        return String.join(",", clauses);
    }
}
