package io.argosy.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.patch.PatchPlace.Fault;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;

/**
 * RFC 6902: a list of operations, applied in order, all or none. Where the library that API servers use is more lenient than the RFC, so is
 * this, since clients rely on it: indices below zero count from a list's end, {@code replace} sets a field that was not there, and a value
 * that is not said is null.
 */
public final class JsonPatch {
    private static final int MAX_OPERATIONS = 10_000;

    /** Copies of copies grow without bound. */
    private static final long MAX_COPIED = 3 << 20;

    private JsonPatch() {}

    /** Applies the patch to a tree that belongs to the caller and gives back the outcome, which may be another tree. */
    public static JsonNode apply(JsonNode target, JsonNode patch) {
        if (!patch.isArray()) {
            throw undecodable(patch, "[]handlers.jsonPatchOp");
        }
        if (patch.size() > MAX_OPERATIONS) {
            throw new ApiException(
                    Reason.RequestEntityTooLarge,
                    "The allowed maximum operations in a JSON patch is " + MAX_OPERATIONS + ", got " + patch.size());
        }
        for (JsonNode operation : patch) {
            if (!operation.isObject() && !operation.isNull()) {
                throw undecodable(operation, "handlers.jsonPatchOp");
            }
        }
        JsonNode result = target;
        long copied = 0;
        for (JsonNode operation : patch) {
            String name = operation.path("op").isTextual() ? operation.get("op").asText() : "unknown";
            switch (name) {
                case "add" -> add(result, operation);
                case "remove" -> remove(result, operation);
                case "replace" -> result = replace(result, operation);
                case "move" -> move(result, operation);
                case "copy" -> copied = copy(result, operation, copied);
                case "test" -> test(result, operation);
                default -> throw refused("Unexpected kind: " + name);
            }
        }
        return result;
    }

    private static void add(JsonNode root, JsonNode operation) {
        String path = text(operation, "path", "add operation failed to decode path");
        PatchPlace place = PatchPlace.of(root, path);
        if (place == null) {
            throw missing("add operation does not apply: doc is missing path: \"" + path + "\"");
        }
        try {
            place.add(value(operation));
        } catch (Fault fault) {
            throw refused("error in add for path: '" + path + "': " + fault.getMessage());
        }
    }

    private static void remove(JsonNode root, JsonNode operation) {
        String path = text(operation, "path", "remove operation failed to decode path");
        PatchPlace place = PatchPlace.of(root, path);
        if (place == null) {
            throw missing("remove operation does not apply: doc is missing path: \"" + path + "\"");
        }
        try {
            place.remove();
        } catch (Fault fault) {
            throw refused("error in remove for path: '" + path + "': " + fault.getMessage());
        }
    }

    private static JsonNode replace(JsonNode root, JsonNode operation) {
        String path = text(operation, "path", "replace operation failed to decode path: operation missing path field");
        JsonNode value = value(operation);
        if (path.isEmpty()) {
            if (!value.isContainerNode()) {
                throw refused("replace operation value must be object or array");
            }
            return value;
        }
        PatchPlace place = PatchPlace.of(root, path);
        if (place == null) {
            throw missing("replace operation does not apply: doc is missing path: " + path);
        }
        try {
            place.set(value);
        } catch (Fault fault) {
            throw missing("replace operation does not apply: doc is missing key: " + path);
        }
        return root;
    }

    private static void move(JsonNode root, JsonNode operation) {
        String from = text(operation, "from", "move operation failed to decode from: operation, missing from field");
        PatchPlace source = PatchPlace.of(root, from);
        if (source == null) {
            throw missing("move operation does not apply: doc is missing from path: " + from);
        }
        JsonNode moved;
        try {
            moved = source.get();
            source.remove();
        } catch (Fault fault) {
            throw refused("error in move for path: '" + source.key() + "': " + fault.getMessage());
        }
        String path = text(operation, "path", "move operation failed to decode path: operation missing path field");
        PatchPlace destination = PatchPlace.of(root, path);
        if (destination == null) {
            throw missing("move operation does not apply: doc is missing destination path: " + path);
        }
        try {
            destination.add(moved);
        } catch (Fault fault) {
            throw refused("error in move for path: '" + path + "': " + fault.getMessage());
        }
    }

    /** How much all copies until now have added. */
    private static long copy(JsonNode root, JsonNode operation, long before) {
        String from = text(operation, "from", "copy operation failed to decode from: operation, missing from field");
        PatchPlace source = PatchPlace.of(root, from);
        if (source == null) {
            throw missing("copy operation does not apply: doc is missing from path: " + from);
        }
        JsonNode copied;
        try {
            copied = source.get();
        } catch (Fault fault) {
            throw refused("error in copy for from: '" + from + "': " + fault.getMessage());
        }
        String path = text(operation, "path", "copy operation failed to decode path");
        PatchPlace destination = PatchPlace.of(root, path);
        if (destination == null) {
            throw missing("copy operation does not apply: doc is missing destination path: " + path);
        }
        long size = before + (copied.isNull() ? 0 : Json.encode(copied).length);
        if (size > MAX_COPIED) {
            throw refused("Unable to complete the copy, the accumulated size increase of copy is " + size
                    + ", exceeding the limit " + MAX_COPIED);
        }
        try {
            destination.add(copied.deepCopy());
        } catch (Fault fault) {
            throw refused("error while adding value during copy: " + fault.getMessage());
        }
        return size;
    }

    private static void test(JsonNode root, JsonNode operation) {
        String path = text(operation, "path", "test operation failed to decode path: operation missing path field");
        JsonNode actual = root;
        if (!path.isEmpty()) {
            PatchPlace place = PatchPlace.of(root, path);
            if (place == null) {
                throw missing("test operation does not apply: is missing path: " + path);
            }
            try {
                actual = place.get();
            } catch (Fault fault) {
                throw refused("error in test for path: '" + path + "': " + fault.getMessage());
            }
        }
        if (!actual.equals(value(operation))) {
            throw refused("testing value " + path + " failed: test failed");
        }
    }

    private static JsonNode value(JsonNode operation) {
        JsonNode value = operation.get("value");
        return value == null ? Json.NODES.nullNode() : value.deepCopy();
    }

    private static String text(JsonNode operation, String field, String otherwise) {
        JsonNode text = operation.path(field);
        if (text.isTextual()) {
            return text.asText();
        }
        if (text.isMissingNode() || text.isNull()) {
            throw missing(otherwise);
        }
        throw ApiException.badRequest("error decoding patch: json: cannot unmarshal " + goType(text)
                + " into Go struct field jsonPatchOp." + field + " of type string");
    }

    private static ApiException undecodable(JsonNode found, String wanted) {
        return ApiException.badRequest(
                "error decoding patch: json: cannot unmarshal " + goType(found) + " into Go value of type " + wanted);
    }

    private static String goType(JsonNode value) {
        return switch (value) {
            case ObjectNode object -> "object";
            case ArrayNode array -> "array";
            default -> value.isTextual() ? "string" : value.isBoolean() ? "bool" : "number";
        };
    }

    private static ApiException missing(String why) {
        return refused(why + ": missing value");
    }

    private static ApiException refused(String why) {
        return new ApiException(
                Reason.Invalid, "the server rejected our request due to an error in our request: " + why);
    }
}
