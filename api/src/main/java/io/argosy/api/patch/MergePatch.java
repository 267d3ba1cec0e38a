package io.argosy.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import java.util.Map;

/** RFC 7386: the patch looks like the object; null deletes, objects merge, everything else replaces. */
public final class MergePatch {
    private MergePatch() {}

    public static JsonNode apply(JsonNode target, JsonNode patch) {
        if (!(patch instanceof ObjectNode changes)) {
            return patch.deepCopy();
        }
        ObjectNode result = target instanceof ObjectNode object ? object : Json.object();
        for (Map.Entry<String, JsonNode> change : changes.properties()) {
            if (change.getValue().isNull()) {
                result.remove(change.getKey());
            } else {
                JsonNode before = result.path(change.getKey());
                result.set(change.getKey(), apply(before, change.getValue()));
            }
        }
        return result;
    }
}
