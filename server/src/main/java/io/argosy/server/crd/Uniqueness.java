package io.argosy.server.crd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import java.util.Map;

/** Lists whose elements tell themselves apart by their value or by keys have none of them twice. */
final class Uniqueness {
    private Uniqueness() {}

    static void validate(JsonNode value, StructuralSchema schema, String path, FieldErrors errors) {
        if (value instanceof ArrayNode array) {
            ListKeys keys = ListKeys.of(schema);
            if (keys != null) {
                keys.duplicates(array)
                        .forEach((index, key) -> errors.duplicate(path + "[" + index + "]", ValueValidation.show(key)));
            }
            for (int i = 0; i < array.size() && schema.items() != null; i++) {
                validate(array.get(i), schema.items(), path + "[" + i + "]", errors);
            }
        } else if (value instanceof ObjectNode object) {
            for (Map.Entry<String, JsonNode> entry : object.properties()) {
                StructuralSchema below = schema.below(entry.getKey());
                if (below != null) {
                    validate(entry.getValue(), below, ValueValidation.join(path, entry.getKey()), errors);
                }
            }
        }
    }
}
