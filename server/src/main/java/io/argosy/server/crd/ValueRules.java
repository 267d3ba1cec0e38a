package io.argosy.server.crd;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a schema demands of a value beside its type: bounds, patterns, required fields, and combinations of such rules. Immutable. */
final class ValueRules {
    private final String format;
    private final BigDecimal minimum;
    private final BigDecimal maximum;
    private final boolean exclusiveMinimum;
    private final boolean exclusiveMaximum;
    private final BigDecimal multipleOf;
    private final Integer minLength;
    private final Integer maxLength;
    private final Integer minItems;
    private final Integer maxItems;
    private final Integer minProperties;
    private final Integer maxProperties;
    private final String pattern;
    private final List<JsonNode> allowed = new ArrayList<>();
    private final List<String> required = new ArrayList<>();
    private final List<ValueRules> allOf = new ArrayList<>();
    private final List<ValueRules> anyOf = new ArrayList<>();
    private final List<ValueRules> oneOf = new ArrayList<>();
    private final ValueRules not;

    /** The type, in rules that stand in a combination, where only int-or-string may say one. */
    private final String type;

    /** Rules on fields and elements that stand in a combination; the schema itself has those of its own fields. */
    private final Map<String, ValueRules> properties = new LinkedHashMap<>();

    private final ValueRules items;

    private ValueRules(JsonNode schema, boolean nested) {
        format = schema.path("format").asText("");
        minimum = number(schema, "minimum");
        maximum = number(schema, "maximum");
        exclusiveMinimum = schema.path("exclusiveMinimum").asBoolean();
        exclusiveMaximum = schema.path("exclusiveMaximum").asBoolean();
        multipleOf = number(schema, "multipleOf");
        minLength = count(schema, "minLength");
        maxLength = count(schema, "maxLength");
        minItems = count(schema, "minItems");
        maxItems = count(schema, "maxItems");
        minProperties = count(schema, "minProperties");
        maxProperties = count(schema, "maxProperties");
        pattern = schema.path("pattern").asText("");
        schema.path("enum").forEach(allowed::add);
        schema.path("required").forEach(field -> required.add(field.asText()));
        schema.path("allOf").forEach(one -> allOf.add(new ValueRules(one, true)));
        schema.path("anyOf").forEach(one -> anyOf.add(new ValueRules(one, true)));
        schema.path("oneOf").forEach(one -> oneOf.add(new ValueRules(one, true)));
        not = schema.path("not").isObject() ? new ValueRules(schema.path("not"), true) : null;
        type = nested ? schema.path("type").asText("") : "";
        if (nested) {
            schema.path("properties")
                    .properties()
                    .forEach(field -> properties.put(field.getKey(), new ValueRules(field.getValue(), true)));
        }
        items = nested && schema.path("items").isObject() ? new ValueRules(schema.path("items"), true) : null;
    }

    static ValueRules of(JsonNode schema) {
        return new ValueRules(schema, false);
    }

    private static BigDecimal number(JsonNode schema, String field) {
        return schema.path(field).isNumber() ? schema.path(field).decimalValue() : null;
    }

    private static Integer count(JsonNode schema, String field) {
        return schema.path(field).isNumber()
                ? Integer.valueOf(schema.path(field).asInt())
                : null;
    }

    String format() {
        return format;
    }

    BigDecimal minimum() {
        return minimum;
    }

    BigDecimal maximum() {
        return maximum;
    }

    boolean exclusiveMinimum() {
        return exclusiveMinimum;
    }

    boolean exclusiveMaximum() {
        return exclusiveMaximum;
    }

    BigDecimal multipleOf() {
        return multipleOf;
    }

    Integer minLength() {
        return minLength;
    }

    Integer maxLength() {
        return maxLength;
    }

    Integer minItems() {
        return minItems;
    }

    Integer maxItems() {
        return maxItems;
    }

    Integer minProperties() {
        return minProperties;
    }

    Integer maxProperties() {
        return maxProperties;
    }

    String pattern() {
        return pattern;
    }

    List<JsonNode> allowed() {
        return allowed;
    }

    List<String> required() {
        return required;
    }

    List<ValueRules> allOf() {
        return allOf;
    }

    List<ValueRules> anyOf() {
        return anyOf;
    }

    List<ValueRules> oneOf() {
        return oneOf;
    }

    ValueRules not() {
        return not;
    }

    String type() {
        return type;
    }

    Map<String, ValueRules> properties() {
        return properties;
    }

    ValueRules items() {
        return items;
    }
}
