package io.argosy.api.protobuf;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.schema.Field;
import io.argosy.api.schema.ProtobufMessage;
import io.argosy.api.schema.Schema;
import io.argosy.api.schema.ValueType;
import io.argosy.api.schema.ValueType.ListOf;
import io.argosy.api.schema.ValueType.MapOf;
import io.argosy.api.schema.ValueType.Ref;
import io.argosy.api.schema.ValueType.Scalar;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * Turns trees into Kubernetes' protobuf form, by the schema of their kind. What stands in the tree is written, also where it is zero or
 * empty, so that the reader's pointers are set where ours are; what does not is not. Maps are written in the order of their keys.
 */
public final class ProtobufEncoder {
    private final WireWriter out = new WireWriter();

    private ProtobufEncoder() {}

    /** The message itself, without an envelope. */
    public static byte[] encode(ObjectNode object, Schema schema) {
        ProtobufEncoder encoder = new ProtobufEncoder();
        encoder.fields(object, schema.protobuf());
        return encoder.out.toBytes();
    }

    private void fields(ObjectNode object, ProtobufMessage message) {
        for (int number = message.highest(); number > 0; number--) {
            Field field = message.field(number);
            ProtobufMessage inlined = message.inlined(number);
            if (field != null) {
                JsonNode value = object.get(field.name());
                if (value != null && (!value.isNull() || Times.isNeverAbsent(field))) {
                    field(number, value, field.type());
                }
            } else if (inlined != null) {
                int before = out.size();
                fields(object, inlined);
                if (out.size() > before) {
                    out.message(number, before);
                }
            }
        }
    }

    private void field(int number, JsonNode value, ValueType type) {
        switch (type) {
            case ListOf list
            when list.wrapped() -> {
                int before = out.size();
                elements(1, value, list.element());
                out.message(number, before);
            }
            case ListOf list -> elements(number, value, list.element());
            case MapOf map -> entries(number, value, map.value());
            case Scalar scalar -> scalar(number, value, scalar);
            case Ref ref -> reference(number, value, ref.schema());
        }
    }

    private void elements(int number, JsonNode list, ValueType element) {
        for (int i = list.size() - 1; i >= 0; i--) {
            field(number, list.get(i), element);
        }
    }

    private void entries(int number, JsonNode map, ValueType type) {
        if (!(map instanceof ObjectNode object)) {
            return;
        }
        String[] keys = new String[object.size()];
        int count = 0;
        for (var entry : object.properties()) {
            keys[count++] = entry.getKey();
        }
        Arrays.sort(keys);
        for (int i = keys.length - 1; i >= 0; i--) {
            int before = out.size();
            field(2, object.get(keys[i]), type);
            out.text(1, keys[i]);
            out.message(number, before);
        }
    }

    private void scalar(int number, JsonNode value, Scalar scalar) {
        switch (scalar) {
            case STRING -> out.text(number, value.isNull() ? "" : value.asText());
            case BYTES -> out.bytes(number, base64(value));
            case BOOLEAN -> out.number(number, value.asBoolean() ? 1 : 0);
            case INT32 -> out.number(number, value.asInt());
            case INT64 -> out.number(number, value.asLong());
            case DOUBLE -> out.fixed64(number, Double.doubleToLongBits(value.asDouble()));
        }
    }

    private static byte[] base64(JsonNode value) {
        try {
            return value.isNull() ? new byte[0] : Base64.getMimeDecoder().decode(value.asText());
        } catch (IllegalArgumentException notBase64) {
            throw new IllegalArgumentException("a field of bytes is not base64", notBase64);
        }
    }

    private void reference(int number, JsonNode value, Schema schema) {
        int before = out.size();
        switch (schema.form()) {
            case OBJECT -> {
                if (value instanceof ObjectNode object) {
                    fields(object, schema.protobuf());
                }
            }
            case QUANTITY -> out.text(1, value.isNull() ? "0" : value.asText());
            case INT_OR_STRING -> intOrString(value);
            case TIME, MICRO_TIME -> time(value);
            case DURATION -> out.number(1, Times.nanos(value.asText()));
            case RAW_OBJECT, FIELD_SET, ANY_JSON -> out.bytes(1, Json.encode(value));
            case SCHEMA_OR_ARRAY, SCHEMA_OR_BOOL, SCHEMA_OR_STRINGS -> schemaOr(value, schema);
        }
        out.message(number, before);
    }

    private void intOrString(JsonNode value) {
        if (value.isTextual()) {
            out.text(3, value.asText());
            out.number(2, 0);
            out.number(1, 1);
        } else {
            out.text(3, "");
            out.number(2, value.asInt());
            out.number(1, 0);
        }
    }

    /** A time that is null is an empty message, as in a list or a map; one that nobody can read is refused. */
    private void time(JsonNode value) {
        if (value.isNull()) {
            return;
        }
        try {
            Instant instant = Instant.parse(value.asText());
            out.number(2, instant.getNano());
            out.number(1, instant.getEpochSecond());
        } catch (DateTimeException unreadable) {
            throw new IllegalArgumentException(value.asText() + " is not a time", unreadable);
        }
    }

    /** A JSON schema, or what may stand in its place. */
    private void schemaOr(JsonNode value, Schema schema) {
        ObjectNode parts = Json.object();
        switch (value) {
            case ObjectNode inner -> {
                parts.set("schema", inner);
                parts.put("allows", true);
            }
            case ArrayNode list -> {
                parts.set("jSONSchemas", list);
                parts.set("property", list);
            }
            default -> parts.put("allows", value.asBoolean());
        }
        fields(parts, schema.protobuf());
    }

    /** All pieces one after the other. */
    static byte[] join(List<byte[]> pieces) {
        WireWriter whole = new WireWriter();
        pieces.reversed().forEach(whole::raw);
        return whole.toBytes();
    }
}
