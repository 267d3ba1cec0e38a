package io.argosy.server.crd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.names.Names;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.MetadataValidation;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The rules for whole objects within objects: they say what they are of, and their metadata are metadata. They hold for what was there before as well. */
final class EmbeddedResources {
    private EmbeddedResources() {}

    static void validate(ObjectNode object, StructuralSchema schema, FieldErrors errors) {
        below(object, schema, "", errors);
    }

    private static void value(JsonNode value, StructuralSchema schema, String path, FieldErrors errors) {
        if (schema.embedded() && value instanceof ObjectNode resource) {
            resource(resource, path, errors);
        }
        below(value, schema, path, errors);
    }

    private static void below(JsonNode value, StructuralSchema schema, String path, FieldErrors errors) {
        if (value instanceof ObjectNode object) {
            for (Map.Entry<String, JsonNode> entry : object.properties()) {
                StructuralSchema property = schema.properties().get(entry.getKey());
                if (property != null) {
                    value(entry.getValue(), property, ValueValidation.join(path, entry.getKey()), errors);
                } else if (schema.additional() != null) {
                    value(entry.getValue(), schema.additional(), path + "[" + entry.getKey() + "]", errors);
                }
            }
        } else if (value instanceof ArrayNode array && schema.items() != null) {
            for (int i = 0; i < array.size(); i++) {
                value(array.get(i), schema.items(), path + "[" + i + "]", errors);
            }
        }
    }

    private static void resource(ObjectNode resource, String path, FieldErrors errors) {
        for (String field : List.of("apiVersion", "kind")) {
            JsonNode value = resource.get(field);
            String at = ValueValidation.join(path, field);
            if (value == null) {
                errors.required(at, "");
            } else if (!value.isTextual()) {
                errors.invalid(at, value, "must be a string");
            } else if (value.asText().isEmpty()) {
                errors.invalid(at, "", "must not be empty");
            } else if (field.equals("kind")) {
                Names.label1035Error(value.asText().toLowerCase(Locale.ROOT))
                        .ifPresent(error -> errors.invalid(
                                at, value.asText(), "may have mixed case, but should otherwise match: " + error));
            } else if (value.asText().chars().filter(c -> c == '/').count() > 1) {
                errors.invalid(at, value.asText(), "unexpected GroupVersion string: " + value.asText());
            }
        }
        if (resource.get("metadata") instanceof ObjectNode metadata) {
            MetadataValidation.embedded(metadata, ValueValidation.join(path, "metadata"), errors);
        }
    }
}
