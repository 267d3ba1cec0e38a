package io.argosy.api.patch;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;

/** RFC 6902: a list of operations, applied in order, all or none. */
public final class JsonPatch {
    private static final int MAX_OPERATIONS = 10_000;

    /** Copies of copies grow without bound. */
    private static final long MAX_COPIED = 3 << 20;

    private JsonPatch() {}

    /** Applies the patch to a tree that belongs to the caller and gives back the outcome, which may be another tree. */
    public static JsonNode apply(JsonNode target, JsonNode patch) {
        if (!patch.isArray()) {
            throw ApiException.badRequest(
                    "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp");
        }
        if (patch.size() > MAX_OPERATIONS) {
            throw new ApiException(
                    Reason.RequestEntityTooLarge,
                    "The allowed maximum operations in a JSON patch is " + MAX_OPERATIONS + ", got " + patch.size());
        }
        JsonNode result = target;
        long copied = 0;
        for (JsonNode operation : patch) {
            if (operation.path("op").asText().equals("copy")) {
                copied += Json.encode(existing(result, pointer(operation, "from"), "copy")).length;
                if (copied > MAX_COPIED) {
                    throw new ApiException(
                            Reason.RequestEntityTooLarge,
                            "Unable to complete the copy, the accumulated size increase of copy is " + copied
                                    + ", exceeding the limit " + MAX_COPIED);
                }
            }
            result = applyOne(result, operation);
        }
        return result;
    }

    private static JsonNode applyOne(JsonNode root, JsonNode operation) {
        String name = operation.path("op").asText();
        JsonPointer path = pointer(operation, "path");
        return switch (name) {
            case "add" -> add(root, path, value(operation));
            case "remove" -> remove(root, path);
            case "replace" -> {
                if (root.at(path).isMissingNode()) {
                    throw refused("replace operation does not apply: doc is missing key: " + path + ": missing value");
                }
                yield path.matches() ? value(operation) : replace(root, path, value(operation));
            }
            case "move" -> {
                JsonPointer from = pointer(operation, "from");
                JsonNode moved = existing(root, from, name);
                yield add(remove(root, from), path, moved);
            }
            case "copy" ->
                add(root, path, existing(root, pointer(operation, "from"), name).deepCopy());
            case "test" -> {
                JsonNode expected = operation.path("value");
                JsonNode actual = root.at(path);
                boolean same = actual.isMissingNode()
                        ? expected.isNull() || expected.isMissingNode()
                        : actual.equals(expected);
                if (!same) {
                    throw refused("testing value " + path + " failed: test failed");
                }
                yield root;
            }
            default -> throw refused("Unexpected kind: " + name);
        };
    }

    private static JsonNode add(JsonNode root, JsonPointer path, JsonNode value) {
        if (path.matches()) {
            return value;
        }
        JsonNode parent = root.at(path.head());
        String last = path.last().getMatchingProperty();
        if (parent instanceof ObjectNode object) {
            object.set(last, value);
        } else if (parent instanceof ArrayNode array) {
            int index = last.equals("-") ? array.size() : index(path, array.size() + 1, "add");
            array.insert(index, value);
        } else {
            throw refused("add operation does not apply: doc is missing path: \"" + path + "\": missing value");
        }
        return root;
    }

    private static JsonNode replace(JsonNode root, JsonPointer path, JsonNode value) {
        JsonNode parent = root.at(path.head());
        if (parent instanceof ObjectNode object) {
            object.set(path.last().getMatchingProperty(), value);
        } else if (parent instanceof ArrayNode array) {
            array.set(index(path, array.size(), "replace"), value);
        }
        return root;
    }

    private static JsonNode remove(JsonNode root, JsonPointer path) {
        if (path.matches()) {
            throw refused("remove operation does not apply: the whole document cannot be removed");
        }
        JsonNode parent = root.at(path.head());
        boolean removed = switch (parent) {
            case ObjectNode object -> object.remove(path.last().getMatchingProperty()) != null;
            case ArrayNode array -> array.remove(index(path, array.size(), "remove")) != null;
            default -> false;
        };
        if (!removed) {
            throw refused("remove operation does not apply: doc is missing path: \"" + path + "\": missing value");
        }
        return root;
    }

    private static JsonNode existing(JsonNode root, JsonPointer from, String operation) {
        JsonNode found = root.at(from);
        if (found.isMissingNode()) {
            throw refused(
                    operation + " operation does not apply: doc is missing from path: \"" + from + "\": missing value");
        }
        return found;
    }

    private static int index(JsonPointer path, int size, String operation) {
        int index = path.last().getMatchingIndex();
        if (index < 0 || index >= size) {
            throw refused(operation + " operation does not apply: doc is missing path: \"" + path
                    + "\": invalid index referenced");
        }
        return index;
    }

    private static JsonNode value(JsonNode operation) {
        JsonNode value = operation.get("value");
        if (value == null) {
            throw refused(operation.path("op").asText() + " operation does not apply: missing value");
        }
        return value.deepCopy();
    }

    private static JsonPointer pointer(JsonNode operation, String field) {
        try {
            return JsonPointer.compile(operation.path(field).asText());
        } catch (IllegalArgumentException badPointer) {
            throw refused("error decoding patch: invalid " + field + " \""
                    + operation.path(field).asText() + "\"");
        }
    }

    private static ApiException refused(String why) {
        return new ApiException(
                Reason.Invalid, "the server rejected our request due to an error in our request: " + why);
    }
}
