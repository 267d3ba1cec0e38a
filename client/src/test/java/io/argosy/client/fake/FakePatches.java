package io.argosy.client.fake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import java.util.Map;

/** The patches that controllers send, as far as unit tests need them. */
final class FakePatches {
    /** Lists that a strategic merge joins by a key; all others are replaced. */
    private static final Map<String, String> MERGE_KEYS = Map.of(
            "conditions", "type",
            "containers", "name",
            "initContainers", "name",
            "env", "name",
            "volumes", "name",
            "ownerReferences", "uid",
            "podIPs", "ip",
            "addresses", "type",
            "taints", "key",
            "ports", "port");

    private FakePatches() {}

    static ObjectNode apply(String mediaType, ObjectNode target, JsonNode patch) {
        return switch (mediaType) {
            case "application/json-patch+json" -> jsonPatch(target.deepCopy(), (ArrayNode) patch);
            case "application/merge-patch+json" -> (ObjectNode) merge(target.deepCopy(), patch, false);
            default -> (ObjectNode) merge(target.deepCopy(), patch, true);
        };
    }

    private static JsonNode merge(JsonNode target, JsonNode patch, boolean strategic) {
        if (!(patch instanceof ObjectNode changes)) {
            return patch.deepCopy();
        }
        ObjectNode result = target instanceof ObjectNode existing ? existing : Json.object();
        for (Map.Entry<String, JsonNode> change : changes.properties()) {
            String field = change.getKey();
            JsonNode value = change.getValue();
            if (value.isNull()) {
                result.remove(field);
            } else if (strategic && value instanceof ArrayNode items && MERGE_KEYS.containsKey(field)) {
                result.set(field, mergeList(result.path(field), items, MERGE_KEYS.get(field)));
            } else if (!field.startsWith("$")) {
                result.set(field, merge(result.path(field), value, strategic));
            }
        }
        return result;
    }

    private static ArrayNode mergeList(JsonNode current, ArrayNode changes, String key) {
        ArrayNode result = current instanceof ArrayNode existing ? existing.deepCopy() : Json.NODES.arrayNode();
        for (JsonNode change : changes) {
            int at = indexOf(result, key, change.path(key));
            boolean delete = change.path("$patch").asText().equals("delete");
            if (at < 0 && !delete) {
                result.add(merge(Json.object(), change, true));
            } else if (at >= 0 && delete) {
                result.remove(at);
            } else if (at >= 0) {
                result.set(at, merge(result.get(at), change, true));
            }
        }
        return result;
    }

    private static int indexOf(ArrayNode items, String key, JsonNode value) {
        for (int i = 0; i < items.size(); i++) {
            if (items.get(i).path(key).equals(value)) {
                return i;
            }
        }
        return -1;
    }

    private static ObjectNode jsonPatch(ObjectNode target, ArrayNode operations) {
        for (JsonNode operation : operations) {
            String path = operation.path("path").asText();
            int slash = path.lastIndexOf('/');
            JsonNode parent = target.at(path.substring(0, slash));
            String last = path.substring(slash + 1).replace("~1", "/").replace("~0", "~");
            String op = operation.path("op").asText();
            if (op.equals("test")) {
                if (!target.at(path).equals(operation.path("value"))) {
                    throw ApiException.badRequest("the server rejected our request due to an error in our request");
                }
            } else if (parent instanceof ObjectNode object) {
                if (op.equals("remove")) {
                    object.remove(last);
                } else {
                    object.set(last, operation.path("value"));
                }
            } else if (parent instanceof ArrayNode array) {
                switch (op) {
                    case "remove" -> array.remove(Integer.parseInt(last));
                    case "replace" -> array.set(Integer.parseInt(last), operation.path("value"));
                    default ->
                        array.insert(last.equals("-") ? array.size() : Integer.parseInt(last), operation.path("value"));
                }
            } else {
                throw ApiException.badRequest("no such path: " + path);
            }
        }
        return target;
    }
}
