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
    /** The way to the value that is looked at, of names and numbers; put into words only when there is something to say. */
    private final List<Object> way = new ArrayList<>();

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
        check.object(object, schema);
        return check.unknown;
    }

    private void object(ObjectNode object, Schema schema) throws MismatchException {
        Iterator<Map.Entry<String, JsonNode>> entries = object.properties().iterator();
        while (entries.hasNext()) {
            Map.Entry<String, JsonNode> entry = entries.next();
            Field field = schema.field(entry.getKey());
            if (field == null) {
                way.add(entry.getKey());
                unknown.add(path());
                way.removeLast();
                entries.remove();
            } else if (entry.getValue().isNull()) {
                entries.remove();
            } else {
                keep(entry, field.type(), schema);
            }
        }
    }

    private void keep(Map.Entry<String, JsonNode> entry, ValueType type, Schema owner) throws MismatchException {
        JsonNode value = entry.getValue();
        JsonNode kept = value(entry.getKey(), value, type, owner);
        if (kept != value) {
            entry.setValue(kept);
        }
    }

    private JsonNode value(Object step, JsonNode value, ValueType type, Schema owner) throws MismatchException {
        way.add(step);
        JsonNode kept = value(value, type, owner);
        way.removeLast();
        return kept;
    }

    /** The value as it is kept; a null in a list stands for the type's empty value. */
    private JsonNode value(JsonNode value, ValueType type, Schema owner) throws MismatchException {
        switch (type) {
            case Scalar scalar -> {
                if (!Scalars.fits(value, scalar)) {
                    throw mismatch(value, Scalars.goName(scalar), owner);
                }
                return scalar == Scalar.BYTES ? Scalars.bytes(value) : value;
            }
            case ListOf list -> {
                if (!(value instanceof ArrayNode array)) {
                    throw mismatch(value, "[]" + goName(list.element()), owner);
                }
                for (int i = 0; i < array.size(); i++) {
                    JsonNode element = array.get(i).isNull() ? Scalars.empty(list.element()) : array.get(i);
                    array.set(i, value(i, element, list.element(), owner));
                }
            }
            case MapOf map -> {
                if (!(value instanceof ObjectNode object)) {
                    throw mismatch(value, "map[string]" + goName(map.value()), owner);
                }
                object.properties().removeIf(entry -> entry.getValue().isNull());
                for (Map.Entry<String, JsonNode> entry : object.properties()) {
                    keep(entry, map.value(), owner);
                }
            }
            case Ref ref -> {
                return reference(value, ref.schema(), owner);
            }
        }
        return value;
    }

    private JsonNode reference(JsonNode value, Schema schema, Schema owner) throws MismatchException {
        return switch (schema.form()) {
            case OBJECT -> {
                if (!(value instanceof ObjectNode object)) {
                    throw mismatch(value, goName(schema), owner);
                }
                object(object, schema);
                yield object;
            }
            case QUANTITY -> {
                if (!value.isTextual() && !value.isNumber()) {
                    throw mismatch(value, goName(schema), owner);
                }
                yield Scalars.quantity(value);
            }
            case INT_OR_STRING -> {
                if (!value.isTextual() && !(value.isIntegralNumber() && value.canConvertToInt())) {
                    throw mismatch(value, goName(schema), owner);
                }
                yield value;
            }
            case TIME, MICRO_TIME -> {
                if (!value.isTextual()) {
                    throw mismatch(value, "string", owner);
                }
                yield Scalars.time(value, schema.form() == Schema.Form.MICRO_TIME);
            }
            case DURATION -> {
                if (!value.isTextual()) {
                    throw mismatch(value, "string", owner);
                }
                yield value;
            }
            default -> value; // free JSON
        };
    }

    private String path() {
        StringBuilder path = new StringBuilder();
        for (Object step : way) {
            if (step instanceof Integer index) {
                path.append('[').append(index).append(']');
            } else {
                path.append(path.isEmpty() ? "" : ".").append(step);
            }
        }
        return path.toString();
    }

    private MismatchException mismatch(JsonNode value, String type, Schema owner) {
        return Scalars.mismatch(value, type, path(), goName(owner));
    }

    private static String goName(ValueType type) {
        return switch (type) {
            case Scalar scalar -> Scalars.goName(scalar);
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
