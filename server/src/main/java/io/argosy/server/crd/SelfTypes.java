package io.argosy.server.crd;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableMap;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructType;
import dev.cel.common.values.CelByteString;
import dev.cel.common.values.NullValue;
import io.argosy.server.cel.Reserved;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What {@code self} is in the rules of a schema: its type for the checker, and its value for the evaluator. */
final class SelfTypes {
    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    private static final Pattern DURATION_PART = Pattern.compile("([0-9]*\\.?[0-9]+)(ns|us|µs|ms|s|m|h)");

    private final Map<String, CelType> structs = new HashMap<>();

    /** The structs that types made here consist of, by name. */
    Map<String, CelType> structs() {
        return structs;
    }

    /**
     * The type of values of a schema.
     *
     * @param place a name for the type that no other schema has
     * @param resource whether the value is a whole object, with name and kind
     */
    CelType type(StructuralSchema schema, String place, boolean resource) {
        if (schema.intOrString() || (schema.type().isEmpty() && schema.preserving())) {
            return SimpleType.DYN;
        }
        return switch (schema.type()) {
            case "integer" -> SimpleType.INT;
            case "number" -> SimpleType.DOUBLE;
            case "boolean" -> SimpleType.BOOL;
            case "string" ->
                switch (schema.rules().format()) {
                    case "byte" -> SimpleType.BYTES;
                    case "date", "date-time" -> SimpleType.TIMESTAMP;
                    case "duration" -> SimpleType.DURATION;
                    default -> SimpleType.STRING;
                };
            case "array" ->
                ListType.create(
                        schema.items() == null
                                ? SimpleType.DYN
                                : type(
                                        schema.items(),
                                        place + ".items",
                                        schema.items().embedded()));
            case "object" -> object(schema, place, resource);
            default -> SimpleType.DYN;
        };
    }

    private CelType object(StructuralSchema schema, String place, boolean resource) {
        if (schema.properties().isEmpty() && schema.additional() != null) {
            return MapType.create(
                    SimpleType.STRING,
                    schema.additional() == StructuralSchema.anything()
                            ? SimpleType.DYN
                            : type(
                                    schema.additional(),
                                    place + ".values",
                                    schema.additional().embedded()));
        }
        if (schema.properties().isEmpty() && schema.preserving() && !resource) {
            return SimpleType.DYN;
        }
        Map<String, CelType> fields = new LinkedHashMap<>();
        schema.properties()
                .forEach((name, property) -> escape(name)
                        .ifPresent(escaped ->
                                fields.put(escaped, type(property, place + "." + escaped, property.embedded()))));
        if (resource) {
            fields.put("apiVersion", SimpleType.STRING);
            fields.put("kind", SimpleType.STRING);
            Map<String, CelType> names = new LinkedHashMap<>();
            names.put("name", SimpleType.STRING);
            names.put("generateName", SimpleType.STRING);
            fields.put("metadata", struct(place + ".metadata", names));
        }
        return struct(place, fields);
    }

    private CelType struct(String name, Map<String, CelType> fields) {
        ImmutableMap<String, CelType> known = ImmutableMap.copyOf(fields);
        StructType type = StructType.create(name, known.keySet(), field -> Optional.ofNullable(known.get(field)));
        structs.put(name, type);
        return type;
    }

    /** The name of a field as rules write it; empty for names that no rule can write. */
    static Optional<String> escape(String name) {
        if (Reserved.is(name)) {
            return Optional.of("__" + name + "__");
        }
        String escaped = name.replace("__", "__underscores__")
                .replace(".", "__dot__")
                .replace("-", "__dash__")
                .replace("/", "__slash__");
        return IDENTIFIER.matcher(escaped).matches() ? Optional.of(escaped) : Optional.empty();
    }

    /** A value as rules see it; null where they see nothing. */
    static Object value(JsonNode value, StructuralSchema schema, boolean resource) {
        if (value == null || value.isNull()) {
            return null;
        }
        return switch (value.getNodeType()) {
            case OBJECT -> object(value, schema, resource);
            case ARRAY -> {
                List<Object> list = new ArrayList<>(value.size());
                StructuralSchema items = schema == null ? null : schema.items();
                value.forEach(one -> list.add(orNull(value(one, items, items != null && items.embedded()))));
                yield list;
            }
            case STRING -> text(value.asText(), schema);
            case BOOLEAN -> value.asBoolean();
            case NUMBER ->
                schema != null && schema.type().equals("number") || !value.isIntegralNumber()
                        ? (Object) value.asDouble()
                        : (Object) value.asLong();
            default -> null;
        };
    }

    private static Object orNull(Object value) {
        return value == null ? NullValue.NULL_VALUE : value;
    }

    private static Map<String, Object> object(JsonNode value, StructuralSchema schema, boolean resource) {
        boolean struct = schema != null && (!schema.properties().isEmpty() || resource);
        Map<String, Object> map = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> entry : value.properties()) {
            StructuralSchema below = schema == null ? null : schema.below(entry.getKey());
            boolean whole = below != null && below.embedded();
            Object converted = value(entry.getValue(), below, whole);
            String name = struct ? escape(entry.getKey()).orElse(null) : entry.getKey();
            if (converted != null && name != null) {
                map.put(name, converted);
            }
        }
        return map;
    }

    private static Object text(String text, StructuralSchema schema) {
        String format = schema == null ? "" : schema.rules().format();
        try {
            return switch (format) {
                case "byte" -> CelByteString.of(Base64.getDecoder().decode(text));
                case "date-time" -> OffsetDateTime.parse(text).toInstant();
                case "date" -> (Instant) LocalDate.parse(text).atStartOfDay().toInstant(ZoneOffset.UTC);
                case "duration" -> duration(text);
                default -> text;
            };
        } catch (RuntimeException malformed) {
            return text; // the schema's own rules have something to say about it
        }
    }

    private static Duration duration(String text) {
        Duration sum = Duration.ZERO;
        Matcher parts = DURATION_PART.matcher(text);
        while (parts.find()) {
            double number = Double.parseDouble(parts.group(1));
            double nanos = switch (parts.group(2)) {
                case "ns" -> 1;
                case "us", "µs" -> 1e3;
                case "ms" -> 1e6;
                case "s" -> 1e9;
                case "m" -> 60e9;
                default -> 3600e9;
            };
            sum = sum.plusNanos((long) (number * nanos));
        }
        return text.startsWith("-") ? sum.negated() : sum;
    }
}
