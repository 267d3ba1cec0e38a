package io.argosy.server.crd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.cel.Patterns;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Holds an object against its schema and says everything that is wrong, in the words of Kubernetes. Where the object was valid to be kept
 * before, what has not changed is not complained about.
 */
final class ValueValidation {
    private final FieldErrors errors;

    ValueValidation(FieldErrors errors) {
        this.errors = errors;
    }

    /**
     * The whole object.
     *
     * @param before the object as it was; null for a new one
     */
    void object(ObjectNode object, ObjectNode before, StructuralSchema schema) {
        value(object, before, schema, "", true);
    }

    private void value(JsonNode value, JsonNode before, StructuralSchema schema, String path, boolean root) {
        if (before != null && before.equals(value)) {
            return;
        }
        if (value.isNull() && schema.nullable()) {
            return;
        }
        if (!typeFits(value, schema.type(), schema.intOrString())) {
            wrongType(path, schema.intOrString() ? "integer,string" : schema.type(), value);
            return;
        }
        rules(value, schema.rules(), path, errors);
        if (value instanceof ObjectNode object) {
            fields(object, before, schema, path, root);
        } else if (value instanceof ArrayNode array) {
            elements(array, before, schema, path);
        }
    }

    private void fields(ObjectNode object, JsonNode before, StructuralSchema schema, String path, boolean root) {
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            String field = entry.getKey();
            if (field.equals("metadata") && (root || schema.embedded())) {
                metadata(entry.getValue(), schema, join(path, field));
                continue;
            }
            StructuralSchema below = schema.below(field);
            if (below != null) {
                value(entry.getValue(), before == null ? null : before.get(field), below, join(path, field), false);
            }
        }
    }

    /** Of metadata a schema may restrict the name only. */
    private void metadata(JsonNode metadata, StructuralSchema schema, String path) {
        StructuralSchema meta = schema.properties().get("metadata");
        if (meta == null) {
            return;
        }
        for (String field : List.of("name", "generateName")) {
            if (meta.properties().containsKey(field) && metadata.has(field)) {
                value(metadata.get(field), null, meta.properties().get(field), join(path, field), false);
            }
        }
    }

    private void elements(ArrayNode array, JsonNode before, StructuralSchema schema, String path) {
        ListKeys keys = schema.listType().equals("map") ? ListKeys.of(schema) : null;
        Map<JsonNode, JsonNode> known = keys == null || before == null ? Map.of() : keys.index(before);
        if (schema.items() != null) {
            for (int i = 0; i < array.size(); i++) {
                JsonNode old = keys == null ? null : known.get(keys.of(array.get(i)));
                value(array.get(i), old, schema.items(), path + "[" + i + "]", false);
            }
        }
    }

    static boolean typeFits(JsonNode value, String type, boolean intOrString) {
        if (intOrString) {
            return value.isTextual() || isWhole(value);
        }
        return switch (type) {
            case "object" -> value.isObject();
            case "array" -> value.isArray();
            case "string" -> value.isTextual();
            case "boolean" -> value.isBoolean();
            case "integer" -> isWhole(value);
            case "number" -> value.isNumber();
            default -> true;
        };
    }

    private static boolean isWhole(JsonNode value) {
        return value.isIntegralNumber()
                || (value.isNumber()
                        && value.decimalValue().stripTrailingZeros().scale() <= 0);
    }

    private void wrongType(String path, String wanted, JsonNode value) {
        String actual = typeOf(value);
        errors.typeInvalid(path, actual, inBody(path, "must be of type " + wanted + ": \"" + actual + "\""));
    }

    private static String typeOf(JsonNode value) {
        return switch (value.getNodeType()) {
            case OBJECT -> "object";
            case ARRAY -> "array";
            case STRING -> "string";
            case BOOLEAN -> "boolean";
            case NUMBER -> isWhole(value) ? "integer" : "number";
            default -> "null";
        };
    }

    /** The rules on the value itself and, in a combination, on what is below it. */
    private void rules(JsonNode value, ValueRules rules, String path, FieldErrors found) {
        if (!rules.allowed().isEmpty() && !allows(rules.allowed(), value)) {
            List<String> allowed = new ArrayList<>();
            rules.allowed().forEach(one -> allowed.add(one.isTextual() ? one.asText() : one.toString()));
            found.notSupported(path, show(value), allowed);
        }
        combinations(value, rules, path, found);
        switch (value.getNodeType()) {
            case STRING -> text(value.asText(), rules, path, found);
            case NUMBER -> number(value, rules, path, found);
            case ARRAY -> {
                if (rules.maxItems() != null && value.size() > rules.maxItems()) {
                    found.tooMany(path, value.size(), rules.maxItems());
                }
                if (rules.minItems() != null && value.size() < rules.minItems()) {
                    found.invalid(
                            path, value.size(), inBody(path, "should have at least " + rules.minItems() + " items"));
                }
            }
            case OBJECT -> {
                if (rules.maxProperties() != null && value.size() > rules.maxProperties()) {
                    found.tooMany(path, value.size(), rules.maxProperties());
                }
                if (rules.minProperties() != null && value.size() < rules.minProperties()) {
                    found.invalid(
                            path,
                            value.size(),
                            inBody(path, "should have at least " + rules.minProperties() + " properties"));
                }
                for (String field : rules.required()) {
                    if (!value.has(field)) {
                        found.required(join(path, field), "");
                    }
                }
            }
            default -> {
                // truth and nothing have no further rules
            }
        }
    }

    private static boolean allows(List<JsonNode> allowed, JsonNode value) {
        for (JsonNode one : allowed) {
            if (one.equals(value)
                    || (one.isNumber()
                            && value.isNumber()
                            && one.decimalValue().compareTo(value.decimalValue()) == 0)) {
                return true;
            }
        }
        return false;
    }

    private static void text(String text, ValueRules rules, String path, FieldErrors found) {
        int length = text.codePointCount(0, text.length());
        if (rules.maxLength() != null && length > rules.maxLength()) {
            found.tooLong(path, rules.maxLength());
        }
        if (rules.minLength() != null && length < rules.minLength()) {
            found.invalid(path, text, inBody(path, "should be at least " + rules.minLength() + " chars long"));
        }
        if (!rules.pattern().isEmpty() && !Patterns.matches(rules.pattern(), text)) {
            found.invalid(path, text, inBody(path, "should match '" + rules.pattern() + "'"));
        }
        if (!Formats.fits(rules.format(), text)) {
            found.typeInvalid(path, text, inBody(path, "must be of type " + rules.format() + ": \"" + text + "\""));
        }
    }

    private static void number(JsonNode value, ValueRules rules, String path, FieldErrors found) {
        BigDecimal number = value.decimalValue();
        if (rules.maximum() != null) {
            int order = number.compareTo(rules.maximum());
            if (rules.exclusiveMaximum() ? order >= 0 : order > 0) {
                String than = rules.exclusiveMaximum() ? "should be less than " : "should be less than or equal to ";
                found.invalid(path, value, inBody(path, than + plain(rules.maximum())));
            }
        }
        if (rules.minimum() != null) {
            int order = number.compareTo(rules.minimum());
            if (rules.exclusiveMinimum() ? order <= 0 : order < 0) {
                String than =
                        rules.exclusiveMinimum() ? "should be greater than " : "should be greater than or equal to ";
                found.invalid(path, value, inBody(path, than + plain(rules.minimum())));
            }
        }
        BigDecimal step = rules.multipleOf();
        if (step != null && step.signum() > 0 && number.remainder(step).signum() != 0) {
            found.invalid(path, value, inBody(path, "should be a multiple of " + plain(step)));
        }
        Formats.range(rules.format(), value)
                .ifPresent(type -> found.invalid(path, value, "Checked value must be " + type));
    }

    private void combinations(JsonNode value, ValueRules rules, String path, FieldErrors found) {
        for (ValueRules one : rules.allOf()) {
            FieldErrors failed = tried(value, one, path);
            if (!failed.isEmpty()) {
                found.addAll(failed.causes());
                combined(found, path, "must validate all the schemas (allOf)");
            }
        }
        if (!rules.anyOf().isEmpty()) {
            FieldErrors closest = null;
            for (ValueRules one : rules.anyOf()) {
                FieldErrors failed = tried(value, one, path);
                closest = closest == null
                                || failed.causes().size() < closest.causes().size()
                        ? failed
                        : closest;
            }
            if (!closest.isEmpty()) {
                combined(found, path, "must validate at least one schema (anyOf)");
                found.addAll(closest.causes());
            }
        }
        if (!rules.oneOf().isEmpty()) {
            oneOf(value, rules, path, found);
        }
        if (rules.not() != null && tried(value, rules.not(), path).isEmpty()) {
            combined(found, path, "must not validate the schema (not)");
        }
    }

    private void oneOf(JsonNode value, ValueRules rules, String path, FieldErrors found) {
        FieldErrors closest = null;
        int valid = 0;
        for (ValueRules one : rules.oneOf()) {
            FieldErrors failed = tried(value, one, path);
            valid += failed.isEmpty() ? 1 : 0;
            closest =
                    closest == null || failed.causes().size() < closest.causes().size() ? failed : closest;
        }
        if (valid != 1) {
            String what = valid == 0 ? "Found none valid" : "Found " + valid + " valid alternatives";
            combined(found, path, "must validate one and only one schema (oneOf). " + what);
            if (valid == 0) {
                found.addAll(closest.causes());
            }
        }
    }

    private static void combined(FieldErrors found, String path, String what) {
        found.invalid("<nil>", "", "\"" + path + "\" " + what);
    }

    private FieldErrors tried(JsonNode value, ValueRules rules, String path) {
        FieldErrors found = new FieldErrors();
        if (!typeFits(value, rules.type(), false)) {
            String actual = typeOf(value);
            found.typeInvalid(path, actual, inBody(path, "must be of type " + rules.type() + ": \"" + actual + "\""));
            return found;
        }
        rules(value, rules, path, found);
        for (Map.Entry<String, ValueRules> property : rules.properties().entrySet()) {
            JsonNode below = value.get(property.getKey());
            if (below != null) {
                found.addAll(tried(below, property.getValue(), join(path, property.getKey()))
                        .causes());
            }
        }
        if (rules.items() != null && value.isArray()) {
            for (int i = 0; i < value.size(); i++) {
                found.addAll(
                        tried(value.get(i), rules.items(), path + "[" + i + "]").causes());
            }
        }
        return found;
    }

    private static String inBody(String path, String what) {
        return path + " in body " + what;
    }

    private static String plain(BigDecimal number) {
        return number.stripTrailingZeros().toPlainString();
    }

    static String join(String path, String field) {
        return path.isEmpty() ? field : path + "." + field;
    }

    /** As messages show values: text is quoted by who writes the message. */
    static Object show(JsonNode value) {
        return value.isTextual() ? value.asText() : value;
    }
}
