package io.argosy.server.openapi;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.json.Json;
import io.argosy.api.schema.Field;
import io.argosy.api.schema.Field.ListType;
import io.argosy.api.schema.Field.MapType;
import io.argosy.api.schema.Field.PatchStrategy;
import io.argosy.api.schema.Schema;
import io.argosy.api.schema.ValueType;
import io.argosy.api.schema.ValueType.ListOf;
import io.argosy.api.schema.ValueType.MapOf;
import io.argosy.api.schema.ValueType.Ref;
import io.argosy.api.schema.ValueType.Scalar;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Writes types as JSON schemas in the dialect of one version of OpenAPI. */
enum SchemaForm {
    V2("#/definitions/"),
    V3("#/components/schemas/");

    private final String prefix;

    SchemaForm(String prefix) {
        this.prefix = prefix;
    }

    ObjectNode reference(String name) {
        return Json.object().put("$ref", prefix + name);
    }

    ObjectNode definition(Schema schema) {
        ObjectNode node = Json.object();
        put(node, "description", schema.description());
        switch (schema.form()) {
            case OBJECT -> object(node, schema);
            case QUANTITY -> either(node, "string", "number");
            case INT_OR_STRING -> {
                node.put("format", "int-or-string");
                either(node, "integer", "string");
            }
            case TIME, MICRO_TIME -> node.put("format", "date-time").put("type", "string");
            case DURATION -> node.put("type", "string");
            case RAW_OBJECT, FIELD_SET -> node.put("type", "object");
            case ANY_JSON, SCHEMA_OR_ARRAY, SCHEMA_OR_BOOL, SCHEMA_OR_STRINGS -> {
                // these take values of several types, and so none is said
            }
        }
        return node;
    }

    /** A value of two types; the older dialect can only call it a string. */
    private void either(ObjectNode node, String one, String other) {
        if (this == V2) {
            node.put("type", "string");
            return;
        }
        ArrayNode types = node.putArray("oneOf");
        types.addObject().put("type", one);
        types.addObject().put("type", other);
    }

    private void object(ObjectNode node, Schema schema) {
        if (!schema.fields().isEmpty()) {
            ObjectNode properties = node.putObject("properties");
            for (Field field : schema.fields()) {
                properties.set(field.name(), property(schema, field));
            }
            List<String> required = schema.fields().stream()
                    .filter(Field::required)
                    .map(Field::name)
                    .toList();
            if (!required.isEmpty()) {
                strings(node, "required", required);
            }
        }
        node.put("type", "object");
        if (!schema.kinds().isEmpty()) {
            ArrayNode kinds = node.putArray("x-kubernetes-group-version-kind");
            schema.kinds().forEach(kind -> kinds.add(kind(kind)));
        }
        mapType(node, schema.mapType());
    }

    private ObjectNode property(Schema schema, Field field) {
        ObjectNode node = value(field.type());
        String description = schema.description(field);
        boolean wrapped = this == V3 && node.has("$ref") && (!description.isEmpty() || annotated(field));
        if (wrapped) {
            // beside a reference nothing else counts, hence the detour
            ObjectNode reference = node;
            node = Json.object();
            node.putArray("allOf").add(reference);
        }
        put(node, "description", description);
        if (this == V3 && field.defaultValue() != null) {
            defaultValue(node, field.defaultValue());
        }
        if (!field.listMapKeys().isEmpty()) {
            strings(node, "x-kubernetes-list-map-keys", field.listMapKeys());
        }
        if (field.listType() != ListType.UNSTATED) {
            node.put("x-kubernetes-list-type", field.listType().name().toLowerCase(Locale.ROOT));
        }
        mapType(node, field.mapType());
        put(node, "x-kubernetes-patch-merge-key", field.patchMergeKey() == null ? "" : field.patchMergeKey());
        put(node, "x-kubernetes-patch-strategy", strategies(field));
        return node;
    }

    private static boolean annotated(Field field) {
        return field.defaultValue() != null
                || field.mapType() != MapType.UNSTATED
                || !field.patchStrategies().isEmpty();
    }

    private ObjectNode value(ValueType type) {
        return switch (type) {
            case Ref ref -> reference(ref.name());
            case ListOf list -> {
                ObjectNode node = Json.object();
                node.set("items", value(list.element()));
                yield node.put("type", "array");
            }
            case MapOf map -> {
                ObjectNode node = Json.object();
                node.set("additionalProperties", value(map.value()));
                yield node.put("type", "object");
            }
            case Scalar scalar -> scalar(scalar);
        };
    }

    private static ObjectNode scalar(Scalar scalar) {
        ObjectNode node = Json.object();
        return switch (scalar) {
            case STRING -> node.put("type", "string");
            case BOOLEAN -> node.put("type", "boolean");
            case INT32 -> node.put("format", "int32").put("type", "integer");
            case INT64 -> node.put("format", "int64").put("type", "integer");
            case DOUBLE -> node.put("format", "double").put("type", "number");
            case BYTES -> node.put("format", "byte").put("type", "string");
        };
    }

    static ObjectNode kind(GroupVersionKind kind) {
        return Json.object().put("group", kind.group()).put("kind", kind.kind()).put("version", kind.version());
    }

    static void strings(ObjectNode node, String name, List<String> values) {
        ArrayNode array = node.putArray(name);
        values.forEach(array::add);
    }

    private static void put(ObjectNode node, String name, String value) {
        if (!value.isEmpty()) {
            node.put(name, value);
        }
    }

    private static void mapType(ObjectNode node, MapType type) {
        if (type != MapType.UNSTATED) {
            node.put("x-kubernetes-map-type", type.name().toLowerCase(Locale.ROOT));
        }
    }

    private static String strategies(Field field) {
        return field.patchStrategies().stream()
                .sorted()
                .map(strategy -> strategy == PatchStrategy.RETAIN_KEYS
                        ? "retainKeys"
                        : strategy.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(","));
    }

    private static void defaultValue(ObjectNode node, String json) {
        try {
            node.set("default", Json.decode(json.getBytes(StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new UncheckedIOException("a default in a schema is JSON", e);
        }
    }
}
