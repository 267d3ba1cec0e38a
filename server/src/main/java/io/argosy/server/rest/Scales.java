package io.argosy.server.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.json.Json;
import io.argosy.api.schema.Schemas;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Cause;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.convert.Converter;
import io.argosy.server.crd.DefinedVersion;
import io.argosy.server.crd.ScalePaths;
import io.argosy.server.registry.Admission.Operation;
import io.argosy.server.registry.Metadata;
import io.argosy.server.registry.ResourceStore;
import io.argosy.server.registry.ResourceStore.Written;
import io.argosy.server.registry.WriteOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** The scale of a workload: its number of replicas in a form that is the same for all kinds. */
final class Scales {
    private static final GroupVersionKind SCALE = new GroupVersionKind("autoscaling", "v1", "Scale");

    private final Parts parts;

    Scales(Parts parts) {
        this.parts = parts;
    }

    Answer handle(ResourceStore store, ResourceRequest request) {
        CachedObject current = store.get(request.namespace(), request.name());
        if (request.verb().equals("get")) {
            return Answer.ok(Json.encode(scaleOf(current.json(), request)), current.revision());
        }
        List<String> warnings = request.warnings();
        if (Applies.isApply(request)) {
            return applied(store, request, warnings);
        }
        UnaryOperator<ObjectNode> edit = edit(request, warnings);
        WriteOptions options = Writes.options(request, warnings);
        Written written = store.update(
                request.namespace(),
                request.name(),
                "scale",
                stored -> {
                    ObjectNode object = Converter.fromStorage(stored, request.type());
                    ObjectNode before = scaleOf(object, request);
                    ObjectNode scale = edit.apply(before.deepCopy());
                    parts.admit(Operation.UPDATE, store.type(), request, kind(request), scale, before, options);
                    JsonNode replicas = scale.path("spec").path("replicas");
                    checkReplicas(replicas, request);
                    String version =
                            scale.path("metadata").path("resourceVersion").asText("");
                    if (version.isEmpty()) {
                        ((ObjectNode) object.get("metadata")).remove("resourceVersion");
                    } else {
                        ((ObjectNode) object.get("metadata")).put("resourceVersion", version);
                    }
                    setReplicas(object, replicas.asInt(), request);
                    return Converter.toStorage(object, request.type());
                },
                options);
        return new Answer(200, Json.encode(scaleOf(written.json(), request)), written.revision(), warnings);
    }

    /** An applied scale is an applied object that says nothing but its replicas. */
    private Answer applied(ResourceStore store, ResourceRequest request, List<String> warnings) {
        ObjectNode scale = Applies.config(request, kind(request), warnings);
        WriteOptions options = Writes.options(request, warnings);
        ObjectNode before =
                scaleOf(store.get(request.namespace(), request.name()).json(), request);
        parts.admit(Operation.UPDATE, store.type(), request, kind(request), scale, before, options);
        JsonNode replicas = scale.path("spec").path("replicas");
        checkReplicas(replicas, request);
        ObjectNode config = Json.object()
                .put("kind", request.type().kind())
                .put("apiVersion", request.type().groupVersion().toString());
        config.set("metadata", scale.get("metadata"));
        setReplicas(config, replicas.asInt(), request);
        Written written = store.apply(request.namespace(), request.name(), "scale", config, options, () -> {});
        return new Answer(200, Json.encode(scaleOf(written.json(), request)), written.revision(), warnings);
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
            ObjectNode sent = Bodies.object(request, kind(request), warnings::add);
            String name = Metadata.of(sent).name();
            if (!name.isEmpty() && !name.equals(request.name())) {
                throw ApiException.badRequest("the name of the object (" + name
                        + ") does not match the name on the URL (" + request.name() + ")");
            }
            return scale -> sent;
        }
        Patches patch =
                Patches.of(request, Schemas.builtIn().find(kind(request)).orElse(null));
        return scale -> {
            ((ObjectNode) scale.get("metadata")).remove("resourceVersion");
            return patch.cleaned(patch.apply(scale), kind(request), warnings::add);
        };
    }

    /** Old versions of workloads have a scale of their own version, of the same form. */
    private static GroupVersionKind kind(ResourceRequest request) {
        return request.type().subresource("scale").kind();
    }

    private static void setReplicas(ObjectNode object, int replicas, ResourceRequest request) {
        if (request.type().custom() instanceof DefinedVersion custom) {
            custom.scale().setWanted(object, replicas);
        } else {
            (object.get("spec") instanceof ObjectNode spec ? spec : object.putObject("spec")).put("replicas", replicas);
        }
    }

    /** Where the replicas stand is said in the version of the request. */
    private static ObjectNode scaleOf(byte[] json, ResourceRequest request) {
        return scaleOf(Converter.fromStorage(Json.decodeObject(json), request.type()), request);
    }

    private static ObjectNode scaleOf(ObjectNode object, ResourceRequest request) {
        GroupVersionKind kind = kind(request);
        ObjectNode scale = Json.object().put("kind", kind.kind()).put("apiVersion", kind.apiVersion());
        ObjectNode metadata = scale.putObject("metadata");
        for (String field : List.of("name", "namespace", "uid", "resourceVersion", "creationTimestamp")) {
            if (object.path("metadata").has(field)) {
                metadata.set(field, object.path("metadata").get(field));
            }
        }
        if (request.type().custom() instanceof DefinedVersion custom) {
            return customScale(scale, object, custom.scale());
        }
        scale.putObject("spec")
                .put("replicas", object.path("spec").path("replicas").asInt());
        JsonNode selector = object.path("spec").path("selector");
        ObjectNode status = scale.putObject("status")
                .put("replicas", object.path("status").path("replicas").asInt());
        if (kind.equals(SCALE)) {
            status.put("selector", selector(selector));
        } else { // as of old: the labels as a map, the whole as text beside it
            status.put("targetSelector", selector(selector));
            status.putObject("selector").setAll(labels(selector));
        }
        return scale;
    }

    /** A custom resource says where its replicas are. */
    private static ObjectNode customScale(ObjectNode scale, ObjectNode object, ScalePaths paths) {
        ObjectNode spec = scale.putObject("spec");
        JsonNode wanted = ScalePaths.at(object, paths.wanted());
        if (wanted.isNumber()) {
            spec.put("replicas", wanted.asInt());
        }
        ObjectNode status = scale.putObject("status");
        status.put("replicas", ScalePaths.at(object, paths.actual()).asInt());
        String selector = ScalePaths.at(object, paths.selector()).asText("");
        if (!paths.selector().isEmpty() && !selector.isEmpty()) {
            status.put("selector", selector);
        }
        return scale;
    }

    private static ObjectNode labels(JsonNode selector) {
        boolean structured = selector.has("matchLabels") || selector.has("matchExpressions");
        return (structured ? selector.path("matchLabels") : selector) instanceof ObjectNode labels
                ? labels.deepCopy()
                : Json.object();
    }

    /** The selector as text, as clients use it in queries. */
    private static String selector(JsonNode selector) {
        List<String> clauses = new ArrayList<>();
        labels(selector)
                .properties()
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
