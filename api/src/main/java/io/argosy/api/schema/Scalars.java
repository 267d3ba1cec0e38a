package io.argosy.api.schema;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.api.quantity.Quantities;
import io.argosy.api.schema.SchemaCheck.MismatchException;
import io.argosy.api.schema.ValueType.ListOf;
import io.argosy.api.schema.ValueType.MapOf;
import io.argosy.api.schema.ValueType.Ref;
import io.argosy.api.schema.ValueType.Scalar;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;

/** Single values against their types, in the one spelling in which they are kept. */
final class Scalars {
    private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss'Z'");
    private static final DateTimeFormatter MICROS = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'");

    private Scalars() {}

    static boolean fits(JsonNode value, Scalar scalar) {
        return switch (scalar) {
            case STRING, BYTES -> value.isTextual();
            case INT32 -> value.isIntegralNumber() && value.canConvertToInt();
            case INT64 -> value.isIntegralNumber() && value.canConvertToLong();
            case DOUBLE -> value.isNumber();
            case BOOLEAN -> value.isBoolean();
        };
    }

    /** Line breaks, as people wrap long values, are no part of the encoding. */
    static JsonNode bytes(JsonNode value) throws MismatchException {
        String text = value.asText();
        if (text.indexOf('\n') >= 0 || text.indexOf('\r') >= 0) {
            text = text.replaceAll("[\r\n]", "");
        }
        try {
            Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException notBase64) {
            throw new MismatchException("illegal base64 data: " + notBase64.getMessage());
        }
        return text.length() == value.asText().length() ? value : Json.NODES.textNode(text);
    }

    static JsonNode quantity(JsonNode value) throws MismatchException {
        String text = value.asText();
        String canonical = Quantities.canonical(text).orElseThrow(() -> new MismatchException(Quantities.SYNTAX_ERROR));
        return value.isTextual() && canonical.equals(text) ? value : Json.NODES.textNode(canonical);
    }

    static JsonNode time(JsonNode value, boolean micro) throws MismatchException {
        String text = value.asText();
        try {
            OffsetDateTime time = OffsetDateTime.parse(text).withOffsetSameInstant(ZoneOffset.UTC);
            String kept = (micro ? MICROS : SECONDS).format(time);
            return kept.equals(text) ? value : Json.NODES.textNode(kept);
        } catch (DateTimeException notATime) {
            throw new MismatchException("parsing time \"" + text + "\" as \"2006-01-02T15:04:05"
                    + (micro ? ".000000" : "") + "Z07:00\": cannot parse \"" + text + "\"");
        }
    }

    /** What a null in a list stands for. */
    static JsonNode empty(ValueType type) {
        return switch (type) {
            case Scalar scalar ->
                switch (scalar) {
                    case STRING, BYTES -> Json.NODES.textNode("");
                    case INT32, INT64, DOUBLE -> Json.NODES.numberNode(0);
                    case BOOLEAN -> Json.NODES.booleanNode(false);
                };
            case ListOf list -> Json.NODES.arrayNode();
            case MapOf map -> Json.object();
            case Ref ref ->
                switch (ref.schema().form()) {
                    case QUANTITY -> Json.NODES.textNode("0");
                    case INT_OR_STRING -> Json.NODES.numberNode(0);
                    case DURATION -> Json.NODES.textNode("0s");
                    default -> Json.object();
                };
        };
    }

    static MismatchException mismatch(JsonNode value, String type, String path, String owner) {
        String found = switch (value.getNodeType()) {
            case STRING -> "string";
            case NUMBER ->
                "number" + (value.isIntegralNumber() && value.canConvertToLong() ? "" : " " + value.asText());
            case BOOLEAN -> "bool";
            case ARRAY -> "array";
            default -> "object";
        };
        return new MismatchException(
                "json: cannot unmarshal " + found + " into Go struct field " + owner + "." + path + " of type " + type);
    }

    static String goName(Scalar scalar) {
        return switch (scalar) {
            case STRING -> "string";
            case INT32 -> "int32";
            case INT64 -> "int64";
            case DOUBLE -> "float64";
            case BOOLEAN -> "bool";
            case BYTES -> "[]uint8";
        };
    }
}
