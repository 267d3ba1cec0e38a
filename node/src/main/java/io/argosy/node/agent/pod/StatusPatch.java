package io.argosy.node.agent.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.client.model.Models;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The strategic merge patch between two statuses of a pod: only what changed, so that nobody else's part is overwritten. */
final class StatusPatch {
    /** Lists the API server joins by a key; the others it replaces. */
    private static final Map<String, String> KEYS = Map.of("conditions", "type", "podIPs", "ip");

    private StatusPatch() {}

    /** Empty when there is nothing to write; the uid keeps the patch from reaching a later pod of the same name. */
    static Optional<JsonNode> between(String uid, PodStatus before, PodStatus after) {
        ObjectNode old = Models.toTree(before);
        ObjectNode made = Models.toTree(after);
        ObjectNode changes = Json.object();
        for (Map.Entry<String, JsonNode> field : made.properties()) {
            JsonNode was = old.path(field.getKey());
            if (field.getValue().equals(was)) {
                continue;
            }
            String key = KEYS.get(field.getKey());
            JsonNode change = key == null ? field.getValue() : listChanges(was, field.getValue(), key);
            if (key == null || !change.isEmpty()) {
                changes.set(field.getKey(), change);
            }
        }
        for (Map.Entry<String, JsonNode> field : old.properties()) {
            if (!made.has(field.getKey()) && !isEmpty(field.getValue())) {
                changes.putNull(field.getKey());
            }
        }
        if (changes.isEmpty()) {
            return Optional.empty();
        }
        ObjectNode patch = Json.object();
        patch.putObject("metadata").put("uid", uid);
        patch.set("status", changes);
        return Optional.of(patch);
    }

    private static boolean isEmpty(JsonNode value) {
        return value.isNull() || (value.isContainerNode() && value.isEmpty());
    }

    private static ArrayNode listChanges(JsonNode before, JsonNode after, String key) {
        Map<String, JsonNode> old = new HashMap<>();
        before.forEach(item -> old.put(item.path(key).asText(), item));
        ArrayNode changes = Json.NODES.arrayNode();
        boolean conditions = key.equals("type");
        for (JsonNode item : after) {
            String name = item.path(key).asText();
            JsonNode was = old.remove(name);
            boolean ours = !conditions
                    || PodConditions.OWN.contains(name)
                    || item.path("reason").asText().equals(PodConditions.BY_NODE);
            if (ours && !item.equals(was)) {
                changes.add(withRemovals(was, item));
            }
        }
        old.keySet().stream()
                .filter(gone -> !conditions || PodConditions.PASSING.contains(gone))
                .forEach(gone -> changes.addObject().put("$patch", "delete").put(key, gone));
        return changes;
    }

    /** A merged item keeps the fields it is not told about: those that went must be named as null. */
    private static JsonNode withRemovals(JsonNode before, JsonNode after) {
        if (before == null) {
            return after;
        }
        ObjectNode item = after.deepCopy();
        before.properties().forEach(field -> {
            if (!item.has(field.getKey())) {
                item.putNull(field.getKey());
            }
        });
        return item;
    }
}
