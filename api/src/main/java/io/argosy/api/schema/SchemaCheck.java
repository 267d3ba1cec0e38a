package io.argosy.api.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.schema.ValueType.ListOf;
import io.argosy.api.schema.ValueType.MapOf;
import io.argosy.api.schema.ValueType.Ref;
import io.argosy.api.schema.ValueType.Scalar;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Holds a tree that a client sent against its schema: unknown fields and nulls are taken out, and a value of the wrong type is an error, as
 * they would be when decoding into a struct.
 */
public final class SchemaCheck {
    private final List<String> unknown = new ArrayList<>();

    /** A value that cannot be what its field says. */
    public static final class MismatchException extends Exception {
        private static final long serialVersionUID = 1L;

        MismatchException(String message) {
            super(message, null, false, false);
        }
    }

    private SchemaCheck() {}

    /** Cleans the tree in place and returns the paths of the fields it did not know. */
    public static List<String> clean(ObjectNode object, Schema schema) throws MismatchException {
        SchemaCheck check = new SchemaCheck();
        check.object(object, schema, "");
        return check.unknown;
    }

    private void object(ObjectNode object, Schema schema, String path) throws MismatchException {
        Iterator<Map.Entry<String, JsonNode>> entries = object.properties().iterator();
        while (entries.hasNext()) {
            Map.Entry<String, JsonNode> entry = entries.next();
            Field field = schema.field(entry.getKey());
            String at = path.isEmpty() ? entry.getKey() : path + "." + entry.getKey();
            if (field == null) {
                unknown.add(at);
                entries.remove();
            } else if (entry.getValue().isNull()) {
                entries.remove();
            } else {
                value(entry.getValue(), field.type(), at, schema);
            }
        }
    }

    private void value(JsonNode value, ValueType type, String path, Schema owner) throws MismatchException {
        switch (type) {
            case Scalar scalar -> scalar(value, scalar, path, owner);
            case ListOf list -> {
                if (!(value instanceof ArrayNode array)) {
                    throw mismatch(value, "[]" + goName(list.element()), path, owner);
                }
                for (int i = 0; i < array.size(); i++) {
                    if (!array.get(i).isNull()) {
                        value(array.get(i), list.element(), path + "[" + i + "]", owner);
                    }
                }
            }
            case MapOf map -> {
                if (!(value instanceof ObjectNode object)) {
                    throw mismatch(value, "map[string]" + goName(map.value()), path, owner);
                }
                object.properties().removeIf(entry -> entry.getValue().isNull());
                for (Map.Entry<String, JsonNode> entry : object.properties()) {
                    value(entry.getValue(), map.value(), path + "." + entry.getKey(), owner);
                }
            }
            case Ref ref -> reference(value, ref.schema(), path, owner);
        }
    }

    private void reference(JsonNode value, Schema schema, String path, Schema owner) throws MismatchException {
        switch (schema.form()) {
            case OBJECT -> {
                if (!(value instanceof ObjectNode object)) {
                    throw mismatch(value, goName(schema), path, owner);
                }
                object(object, schema, path);
            }
            case QUANTITY, INT_OR_STRING -> {
                if (!value.isTextual() && !value.isNumber()) {
                    throw mismatch(value, goName(schema), path, owner);
                }
            }
            case TIME, MICRO_TIME, DURATION -> {
                if (!value.isTextual()) {
                    throw mismatch(value, "string", path, owner);
                }
            }
            default -> {} // free JSON
        }
    }

    private static void scalar(JsonNode value, Scalar scalar, String path, Schema owner) throws MismatchException {
        boolean fits = switch (scalar) {
            case STRING, BYTES -> value.isTextual();
            case INT32 -> value.isIntegralNumber() && value.canConvertToInt();
            case INT64 -> value.isIntegralNumber() && value.canConvertToLong();
            case DOUBLE -> value.isNumber();
            case BOOLEAN -> value.isBoolean();
        };
        if (!fits) {
            throw mismatch(value, goName(scalar), path, owner);
        }
    }

    private static MismatchException mismatch(JsonNode value, String type, String path, Schema owner) {
        String found = switch (value.getNodeType()) {
            case STRING -> "string";
            case NUMBER -> value.isIntegralNumber() ? "number" : "number " + value.asText();
            case BOOLEAN -> "bool";
            case ARRAY -> "array";
            default -> "object";
        };
        return new MismatchException("json: cannot unmarshal " + found + " into Go struct field " + goName(owner) + "."
                + path + " of type " + type);
    }

    private static String goName(ValueType type) {
        return switch (type) {
            case Scalar scalar ->
                switch (scalar) {
                    case STRING -> "string";
                    case INT32 -> "int32";
                    case INT64 -> "int64";
                    case DOUBLE -> "float64";
                    case BOOLEAN -> "bool";
                    case BYTES -> "[]uint8";
                };
            case ListOf list -> "[]" + goName(list.element());
            case MapOf map -> "map[string]" + goName(map.value());
            case Ref ref -> goName(ref.schema());
        };
    }

    /** {@code io.k8s.api.apps.v1.Deployment} is {@code v1.Deployment} in messages. */
    private static String goName(Schema schema) {
        String[] parts = schema.name().split("\\.");
        return parts.length < 2 ? schema.name() : parts[parts.length - 2] + "." + parts[parts.length - 1];
    }
}
