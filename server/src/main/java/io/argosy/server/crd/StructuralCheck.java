package io.argosy.server.crd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.cel.Patterns;
import java.util.List;
import java.util.Map;

/**
 * Whether a schema is structural: every field has a type, and combinations of schemas say nothing of their own but rules. Only then is it
 * known which fields there are.
 */
final class StructuralCheck {
    private static final List<String> COMBINATIONS = List.of("allOf", "anyOf", "oneOf");
    private static final JsonNode INT_OR_STRING = Json.NODES
            .arrayNode()
            .add(Json.object().put("type", "integer"))
            .add(Json.object().put("type", "string"));

    private final FieldErrors errors;

    StructuralCheck(FieldErrors errors) {
        this.errors = errors;
    }

    /** Where a schema stands, which decides the words. */
    private enum Level {
        ROOT("at the root"),
        ITEM("for specified array items"),
        FIELD("for specified object fields");

        private final String place;

        Level(String place) {
            this.place = place;
        }
    }

    void check(JsonNode schema, String path) {
        check(schema, Level.ROOT, path);
        complete(schema, schema, path, path);
    }

    private void check(JsonNode schema, Level level, String path) {
        String type = schema.path("type").asText("");
        boolean embedded = schema.path("x-kubernetes-embedded-resource").asBoolean();
        boolean intOrString = schema.path("x-kubernetes-int-or-string").asBoolean();
        boolean preserving = schema.path("x-kubernetes-preserve-unknown-fields").asBoolean();
        if (type.equals("array") && !schema.path("items").isObject()) {
            errors.required(path + ".items", "must be specified");
        }
        if (schema.path("items").isObject()) {
            check(schema.path("items"), Level.ITEM, path + ".items");
        }
        schema.path("properties")
                .properties()
                .forEach(field -> check(field.getValue(), Level.FIELD, path + ".properties[" + field.getKey() + "]"));
        if (schema.has("additionalProperties")) {
            if (level == Level.ROOT) {
                errors.forbidden(path + ".additionalProperties", "must not be used at the root");
            }
            if (schema.path("additionalProperties").isObject()) {
                check(schema.path("additionalProperties"), Level.FIELD, path + ".additionalProperties");
            }
        }
        if (intOrString && preserving) {
            errors.invalid(
                    path + ".x-kubernetes-preserve-unknown-fields",
                    true,
                    "must be false if x-kubernetes-int-or-string is true");
        }
        if (intOrString && embedded) {
            errors.invalid(
                    path + ".x-kubernetes-embedded-resource",
                    true,
                    "must be false if x-kubernetes-int-or-string is true");
        }
        combinations(schema, intOrString, path);
        pattern(schema, path);
        type(type, embedded, intOrString || preserving, level, path);
        if (embedded && schema.has("additionalProperties")) {
            errors.forbidden(
                    path + ".additionalProperties", "must not be used if x-kubernetes-embedded-resource is set");
        }
        if (embedded && !preserving && schema.path("properties").isEmpty()) {
            errors.required(
                    path + ".properties",
                    "must not be empty if x-kubernetes-embedded-resource is true without"
                            + " x-kubernetes-preserve-unknown-fields");
        }
        objectFields(schema, level == Level.ROOT || embedded, level, path);
    }

    private void type(String type, boolean embedded, boolean mayBeOpen, Level level, String path) {
        if (embedded && !type.equals("object")) {
            String must = "must be object if x-kubernetes-embedded-resource is true";
            if (type.isEmpty()) {
                errors.required(path + ".type", must);
            } else {
                errors.invalid(path + ".type", type, must);
            }
        } else if (type.isEmpty() && !mayBeOpen) {
            errors.required(path + ".type", "must not be empty " + level.place);
        }
        if (level == Level.ROOT && !type.isEmpty() && !type.equals("object")) {
            errors.invalid(path + ".type", type, "must be object at the root");
        }
    }

    /** What every object has anyway may be restricted, not changed. */
    private void objectFields(JsonNode schema, boolean whole, Level level, String path) {
        for (String field : List.of("kind", "apiVersion")) {
            JsonNode own = schema.path("properties").path(field);
            if (whole && own.isObject() && !own.path("type").asText().equals("string")) {
                errors.invalid(
                        path + ".properties[" + field + "].type",
                        own.path("type").asText(""),
                        "must be string");
            }
        }
        JsonNode metadata = schema.path("properties").path("metadata");
        if (!metadata.isObject()) {
            return;
        }
        String at = path + ".properties[metadata]";
        if (whole && !metadata.path("type").asText().equals("object")) {
            errors.invalid(at + ".type", metadata.path("type").asText(""), "must be object");
        }
        if (level == Level.ROOT) {
            ObjectNode rest = metadata.deepCopy();
            rest.remove(List.of("type", "default", "description"));
            if (rest.path("properties") instanceof ObjectNode names) {
                names.remove(List.of("name", "generateName"));
                if (names.isEmpty()) {
                    rest.remove("properties");
                }
            }
            if (!rest.isEmpty()) {
                errors.forbidden(
                        at,
                        "must not specify anything other than name and generateName, but metadata is implicitly"
                                + " specified");
            }
        }
    }

    private void pattern(JsonNode schema, String path) {
        String pattern = schema.path("pattern").asText("");
        Patterns.error(pattern)
                .ifPresent(error -> errors.invalid(
                        path + ".pattern", pattern, "must be a valid regular expression, but isn't: " + error));
    }

    private void combinations(JsonNode schema, boolean intOrString, String path) {
        for (String combination : COMBINATIONS) {
            JsonNode alternatives = schema.path(combination);
            if (intOrString && combination.equals("anyOf") && alternatives.equals(INT_OR_STRING)) {
                continue;
            }
            for (int i = 0; i < alternatives.size(); i++) {
                JsonNode one = alternatives.get(i);
                boolean firstOfAll = intOrString && combination.equals("allOf") && i == 0;
                if (firstOfAll && one.path("anyOf").equals(INT_OR_STRING) && one.size() == 1) {
                    continue;
                }
                nested(one, path + "." + combination + "[" + i + "]");
            }
        }
        if (schema.path("not").isObject()) {
            nested(schema.path("not"), path + ".not");
        }
    }

    /** A schema in a combination may restrict values, and nothing else. */
    private void nested(JsonNode schema, String path) {
        forbid(schema, path, "type", "must be empty to be structural");
        forbid(schema, path, "additionalProperties", "must be undefined to be structural");
        forbid(schema, path, "default", "must be undefined to be structural");
        forbid(schema, path, "title", "must be empty to be structural");
        forbid(schema, path, "description", "must be empty to be structural");
        forbid(schema, path, "nullable", "must be false to be structural");
        forbid(schema, path, "x-kubernetes-preserve-unknown-fields", "must be false to be structural");
        forbid(schema, path, "x-kubernetes-embedded-resource", "must be false to be structural");
        forbid(schema, path, "x-kubernetes-int-or-string", "must be false to be structural");
        forbid(schema, path, "x-kubernetes-list-map-keys", "must be empty to be structural");
        forbid(schema, path, "x-kubernetes-list-type", "must be undefined to be structural");
        forbid(schema, path, "x-kubernetes-map-type", "must be undefined to be structural");
        if (!schema.path("x-kubernetes-validations").isEmpty()) {
            errors.forbidden(path + ".x-kubernetes-validations", "must be empty to be structural");
        }
        if (schema.path("properties").has("metadata")) {
            errors.forbidden(path + ".properties[metadata]", "must not be specified in a nested context");
        }
        pattern(schema, path);
        combinations(schema, false, path);
        schema.path("properties")
                .properties()
                .forEach(field -> nested(field.getValue(), path + ".properties[" + field.getKey() + "]"));
        if (schema.path("items").isObject()) {
            nested(schema.path("items"), path + ".items");
        }
    }

    private void forbid(JsonNode schema, String path, String field, String why) {
        JsonNode value = schema.path(field);
        boolean unset = value.isMissingNode()
                || (value.isBoolean() && !value.asBoolean() && !field.equals("additionalProperties"));
        if (!unset) {
            errors.forbidden(path + "." + field, why);
        }
    }

    /** A field that a combination restricts must exist outside of it. */
    private void complete(JsonNode rules, JsonNode schema, String rulesPath, String path) {
        for (String combination : COMBINATIONS) {
            for (int i = 0; i < rules.path(combination).size(); i++) {
                completeNested(
                        rules.path(combination).get(i), schema, rulesPath + "." + combination + "[" + i + "]", path);
            }
        }
        if (rules.path("not").isObject()) {
            completeNested(rules.path("not"), schema, rulesPath + ".not", path);
        }
        if (rules == schema) {
            schema.path("properties").properties().forEach(field -> {
                String below = path + ".properties[" + field.getKey() + "]";
                complete(field.getValue(), field.getValue(), below, below);
            });
            if (schema.path("items").isObject()) {
                complete(schema.path("items"), schema.path("items"), path + ".items", path + ".items");
            }
            JsonNode others = schema.path("additionalProperties");
            if (others.isObject()) {
                complete(others, others, path + ".additionalProperties", path + ".additionalProperties");
            }
        }
    }

    private void completeNested(JsonNode rules, JsonNode schema, String rulesPath, String path) {
        for (Map.Entry<String, JsonNode> field : rules.path("properties").properties()) {
            JsonNode own = schema.path("properties").path(field.getKey());
            String ownPath = path + ".properties[" + field.getKey() + "]";
            String nestedPath = rulesPath + ".properties[" + field.getKey() + "]";
            if (own.isObject()) {
                completeNested(field.getValue(), own, nestedPath, ownPath);
            } else if (!schema.path("additionalProperties").isObject()) {
                errors.required(ownPath, "because it is defined in " + nestedPath);
            }
        }
        if (rules.path("items").isObject()) {
            if (schema.path("items").isObject()) {
                completeNested(rules.path("items"), schema.path("items"), rulesPath + ".items", path + ".items");
            } else {
                errors.required(path + ".items", "because it is defined in " + rulesPath + ".items");
            }
        }
        complete(rules, rules == schema ? Json.object() : schema, rulesPath, path);
    }
}
