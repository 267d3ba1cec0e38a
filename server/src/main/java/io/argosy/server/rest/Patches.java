package io.argosy.server.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.patch.JsonPatch;
import io.argosy.api.patch.MergePatch;
import io.argosy.api.patch.StrategicMergePatch;
import io.argosy.api.schema.Schema;
import io.argosy.api.schema.Schemas;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Cause;
import io.argosy.api.status.Reason;
import io.argosy.server.convert.Converter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * A patch as a client sent it: what it makes of an object, and whether that still is one of its kind. Faults of the patch itself count as
 * much as those of the outcome, and are told of first.
 */
final class Patches {
    private static final Set<String> OPERATION_FIELDS = Set.of("op", "path", "from", "value");

    private final ResourceRequest request;
    private final UnaryOperator<ObjectNode> change;
    private final List<String> faults;

    private Patches(ResourceRequest request, UnaryOperator<ObjectNode> change, List<String> faults) {
        this.request = request;
        this.change = change;
        this.faults = faults;
    }

    /** Of an object of the resource itself, in the version of the request. */
    static Patches of(ResourceRequest request) {
        Schemas schemas = Schemas.builtIn();
        ResourceType type = request.type();
        return of(
                request,
                schemas.find(type.groupVersionKind())
                        .or(() -> schemas.find(type.storageVersion().kind(type.kind())))
                        .orElse(null));
    }

    /** Of something with that schema; without one there is no strategic merge. */
    static Patches of(ResourceRequest request, Schema schema) {
        String mediaType = Bodies.mediaType(request.contentType());
        List<String> faults = new ArrayList<>();
        return switch (mediaType) {
            case "application/json-patch+json" -> {
                JsonNode patch = Bodies.decode(request, faults, Patches::undecoded);
                faults.addAll(unknownOperationFields(patch));
                faults.replaceAll(fault -> "json patch " + fault);
                yield new Patches(request, object -> asObject(JsonPatch.apply(object, patch)), faults);
            }
            case "application/merge-patch+json" -> {
                JsonNode patch = asMap(Bodies.decode(request, faults, Patches::undecoded), Patches::undecoded);
                yield new Patches(request, object -> asObject(MergePatch.apply(object, patch)), faults);
            }
            case "application/strategic-merge-patch+json" -> {
                JsonNode patch = asMap(Bodies.decode(request, faults, why -> why), why -> why);
                if (schema == null) {
                    throw unsupported("application/json-patch+json, application/merge-patch+json,"
                            + " application/apply-patch+yaml");
                }
                yield new Patches(request, object -> StrategicMergePatch.apply(object, patch, schema), faults);
            }
            default ->
                throw unsupported("application/json-patch+json, application/merge-patch+json,"
                        + " application/strategic-merge-patch+json, application/apply-patch+yaml");
        };
    }

    private static String undecoded(String why) {
        return "error decoding patch: " + why;
    }

    /** Refuses what cannot be merged into an object. */
    private static JsonNode asMap(JsonNode patch, UnaryOperator<String> words) {
        if (patch.isObject() || patch.isNull()) {
            return patch;
        }
        String found = patch.isArray() ? "array" : patch.isTextual() ? "string" : patch.isBoolean() ? "bool" : "number";
        throw ApiException.badRequest(
                words.apply("json: cannot unmarshal " + found + " into Go value of type map[string]interface {}"));
    }

    private static List<String> unknownOperationFields(JsonNode patch) {
        List<String> unknown = new ArrayList<>();
        for (int i = 0; i < patch.size(); i++) {
            String operation = "[" + i + "].";
            patch.path(i).fieldNames().forEachRemaining(field -> {
                if (!OPERATION_FIELDS.contains(field)) {
                    unknown.add("unknown field \"" + operation + field + "\"");
                }
            });
        }
        return unknown;
    }

    private static ApiException unsupported(String accepted) {
        return new ApiException(
                Reason.UnsupportedMediaType,
                "the body of the request was in an unknown format - accepted media types include: " + accepted);
    }

    private static ObjectNode asObject(JsonNode patched) {
        if (patched instanceof ObjectNode object) {
            return object;
        }
        throw ApiException.badRequest("the patch does not leave an object");
    }

    /** The object as the patch makes it, not yet looked at. */
    ObjectNode apply(ObjectNode object) {
        return change.apply(object);
    }

    /** An object of the resource itself, held against its schema, in the version it is stored in. */
    ObjectNode toStorage(ObjectNode patched, Consumer<String> warnings) {
        ResourceType type = request.type();
        tell(
                () -> {
                    List<String> unknown = new ArrayList<>(Bodies.unknown(patched, type));
                    Converter.written(patched, type);
                    if (!type.storedAsServed() && !type.isCustom()) {
                        unknown.addAll(
                                Bodies.unknown(patched, type.storageVersion().kind(type.kind())));
                    }
                    return unknown;
                },
                warnings);
        return patched;
    }

    /** Something of another kind, held against its schema. */
    ObjectNode cleaned(ObjectNode patched, GroupVersionKind kind, Consumer<String> warnings) {
        tell(() -> Bodies.unknown(patched, kind), warnings);
        return patched;
    }

    private void tell(Supplier<List<String>> unknown, Consumer<String> warnings) {
        List<String> complaints = new ArrayList<>(faults);
        try {
            unknown.get().forEach(path -> complaints.add("unknown field \"" + path + "\""));
        } catch (ApiException mismatch) {
            throw mismatch.is(Reason.BadRequest) ? refused(inShort(mismatch.getMessage())) : mismatch;
        }
        String validation = request.fieldValidation();
        if (validation.equals("Strict") && !complaints.isEmpty()) {
            throw refused("strict decoding error: " + String.join(", ", complaints));
        }
        if (!validation.equals("Ignore")) {
            Bodies.warn(complaints, warnings);
        }
    }

    /** What does not fit; that it is a patch, and of what, is said anyway. */
    private static String inShort(String mismatch) {
        int detail = mismatch.indexOf(": json: ");
        return detail < 0 ? mismatch : mismatch.substring(detail + 2);
    }

    private ApiException refused(String why) {
        String patch = new String(request.body(), StandardCharsets.UTF_8);
        return ApiException.invalid(
                "",
                "",
                "",
                List.of(new Cause(
                        "FieldValueInvalid", "Invalid value: " + Json.NODES.textNode(patch) + ": " + why, "patch")));
    }
}
