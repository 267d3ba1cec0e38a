package io.argosy.server.crd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.schema.Schema;
import io.argosy.api.schema.SchemaCheck;
import io.argosy.api.schema.Schemas;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which fields objects of a custom resource have: unknown ones are taken out, absent ones get their defaults. */
final class Fields {
    private static final Set<String> OF_EVERY_OBJECT = Set.of("apiVersion", "kind", "metadata");

    private Fields() {}

    /** Takes out of an object what its schema does not specify; the paths of what was taken. */
    static List<String> prune(ObjectNode object, StructuralSchema schema) {
        List<String> unknown = new ArrayList<>();
        prune(object, schema, "", true, unknown);
        return unknown;
    }

    private static void prune(
            JsonNode value, StructuralSchema schema, String path, boolean resource, List<String> unknown) {
        if (value instanceof ArrayNode array) {
            if (schema.items() != null) {
                for (int i = 0; i < array.size(); i++) {
                    prune(
                            array.get(i),
                            schema.items(),
                            path + "[" + i + "]",
                            schema.items().embedded(),
                            unknown);
                }
            }
            return;
        }
        if (!(value instanceof ObjectNode object)) {
            return;
        }
        Iterator<Map.Entry<String, JsonNode>> entries = object.properties().iterator();
        while (entries.hasNext()) {
            Map.Entry<String, JsonNode> entry = entries.next();
            String field = entry.getKey();
            if (resource && OF_EVERY_OBJECT.contains(field)) {
                continue;
            }
            String at = path.isEmpty() ? field : path + "." + field;
            StructuralSchema below = schema.below(field);
            if (below != null) {
                prune(entry.getValue(), below, at, below.embedded(), unknown);
            } else if (!schema.preserving()) {
                unknown.add(at);
                entries.remove();
            }
        }
    }

    /** Holds metadata, of the object and of objects within it, against what metadata is. */
    static List<String> cleanMetadata(ObjectNode object, StructuralSchema schema) throws SchemaCheck.MismatchException {
        List<String> unknown = new ArrayList<>();
        cleanMetadata(object, schema, "", true, unknown);
        return unknown;
    }

    private static void cleanMetadata(
            JsonNode value, StructuralSchema schema, String path, boolean resource, List<String> unknown)
            throws SchemaCheck.MismatchException {
        if (resource && value.get("metadata") instanceof ObjectNode metadata) {
            Schema meta = Schemas.builtIn().find(StructuralSchema.OBJECT_META).orElseThrow();
            for (String field : SchemaCheck.clean(metadata, meta)) {
                unknown.add((path.isEmpty() ? "" : path + ".") + "metadata." + field);
            }
        }
        if (value instanceof ArrayNode array && schema.items() != null) {
            for (int i = 0; i < array.size(); i++) {
                cleanMetadata(
                        array.get(i),
                        schema.items(),
                        path + "[" + i + "]",
                        schema.items().embedded(),
                        unknown);
            }
        } else if (value instanceof ObjectNode object) {
            for (Map.Entry<String, JsonNode> entry : object.properties()) {
                StructuralSchema below = schema.below(entry.getKey());
                if (below != null && entry.getValue().isContainerNode()) {
                    String at = path.isEmpty() ? entry.getKey() : path + "." + entry.getKey();
                    cleanMetadata(entry.getValue(), below, at, below.embedded(), unknown);
                }
            }
        }
    }

    /** Fills what is absent, or null where null is no value, with the defaults of the schema. */
    static void applyDefaults(JsonNode value, StructuralSchema schema) {
        if (!schema.defaulting()) {
            return;
        }
        if (value instanceof ArrayNode array && schema.items() != null) {
            array.forEach(item -> applyDefaults(item, schema.items()));
        } else if (value instanceof ObjectNode object) {
            for (Map.Entry<String, StructuralSchema> property :
                    schema.properties().entrySet()) {
                StructuralSchema below = property.getValue();
                JsonNode now = object.get(property.getKey());
                boolean absent = now == null || (now.isNull() && !below.nullable());
                if (absent && below.defaultValue() != null) {
                    object.set(property.getKey(), below.defaultValue().deepCopy());
                }
            }
            for (Map.Entry<String, JsonNode> entry : object.properties()) {
                StructuralSchema below = schema.below(entry.getKey());
                if (below != null) {
                    applyDefaults(entry.getValue(), below);
                }
            }
        }
    }
}
