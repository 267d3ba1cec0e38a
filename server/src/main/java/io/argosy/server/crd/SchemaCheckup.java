package io.argosy.server.crd;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.status.FieldErrors;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What Kubernetes does not allow in a schema at all, and how lists, maps and rules are to be declared. */
final class SchemaCheckup {
    private static final List<String> TYPES = List.of("array", "boolean", "integer", "number", "object", "string");
    private static final List<String> UNSUPPORTED =
            List.of("id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref");

    private final FieldErrors errors;

    SchemaCheckup(FieldErrors errors) {
        this.errors = errors;
    }

    void check(JsonNode schema, String path) {
        forbidden(schema, path);
        types(schema, path);
        mapType(schema, path);
        listType(schema, path);
        expressions(schema, path + ".x-kubernetes-validations");
        schema.path("properties")
                .properties()
                .forEach(field -> check(field.getValue(), path + ".properties[" + field.getKey() + "]"));
        if (schema.path("items").isObject()) {
            check(schema.path("items"), path + ".items");
        }
        if (schema.path("additionalProperties").isObject()) {
            check(schema.path("additionalProperties"), path + ".additionalProperties");
        }
        for (String combination : List.of("allOf", "anyOf", "oneOf")) {
            for (int i = 0; i < schema.path(combination).size(); i++) {
                check(schema.path(combination).get(i), path + "." + combination + "[" + i + "]");
            }
        }
        if (schema.path("not").isObject()) {
            check(schema.path("not"), path + ".not");
        }
    }

    private void forbidden(JsonNode schema, String path) {
        if (schema.path("uniqueItems").asBoolean()) {
            errors.forbidden(
                    path + ".uniqueItems",
                    "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
        }
        JsonNode others = schema.path("additionalProperties");
        boolean open = others.isObject() || others.asBoolean();
        if (open && !schema.path("properties").isEmpty()) {
            errors.forbidden(
                    path + ".additionalProperties", "additionalProperties and properties are mutual exclusive");
        }
        for (String field : UNSUPPORTED) {
            if (schema.has(field)) {
                errors.forbidden(path + "." + field, field + " is not supported");
            }
        }
        if (schema.path("items").isArray()) {
            errors.forbidden(path + ".items", "items must be a schema object and not an array");
        }
        JsonNode preserving = schema.path("x-kubernetes-preserve-unknown-fields");
        if (preserving.isBoolean() && !preserving.asBoolean()) {
            errors.invalid(path + ".x-kubernetes-preserve-unknown-fields", false, "must be true or undefined");
        }
    }

    private void types(JsonNode schema, String path) {
        String type = schema.path("type").asText("");
        if (type.equals("null")) {
            errors.forbidden(path + ".type", "type cannot be set to null, use nullable as an alternative");
        } else if (!type.isEmpty() && !TYPES.contains(type)) {
            errors.notSupported(path + ".type", type, TYPES);
        }
    }

    private void mapType(JsonNode schema, String path) {
        String mapType = schema.path("x-kubernetes-map-type").asText("");
        if (mapType.isEmpty()) {
            return;
        }
        mustBe(schema, "object", "must be object if x-kubernetes-map-type is specified", path);
        if (!List.of("atomic", "granular").contains(mapType)) {
            errors.notSupported(path + ".x-kubernetes-map-type", mapType, List.of("atomic", "granular"));
        }
    }

    private void mustBe(JsonNode schema, String wanted, String why, String path) {
        String type = schema.path("type").asText("");
        if (type.isEmpty()) {
            errors.required(path + ".type", why);
        } else if (!type.equals(wanted)) {
            errors.invalid(path + ".type", type, why);
        }
    }

    private void listType(JsonNode schema, String path) {
        String listType = schema.path("x-kubernetes-list-type").asText("");
        JsonNode keys = schema.path("x-kubernetes-list-map-keys");
        JsonNode items = schema.path("items");
        if (!listType.isEmpty()) {
            mustBe(schema, "array", "must be array if x-kubernetes-list-type is specified", path);
            if (!List.of("atomic", "set", "map").contains(listType)) {
                errors.notSupported(path + ".x-kubernetes-list-type", listType, List.of("atomic", "set", "map"));
            }
        }
        if (listType.equals("set")) {
            String must = "must be atomic as item of a list with x-kubernetes-list-type=set";
            String type = items.path("type").asText("");
            if (type.equals("object")
                    && !items.path("x-kubernetes-map-type").asText("").equals("atomic")) {
                errors.invalid(path + ".items.x-kubernetes-map-type", null, must);
            }
            if (type.equals("array")
                    && !items.path("x-kubernetes-list-type").asText("atomic").equals("atomic")) {
                errors.invalid(path + ".items.x-kubernetes-list-type", null, must);
            }
        }
        if (!keys.isEmpty() && !listType.equals("map")) {
            String must = "must be map if x-kubernetes-list-map-keys is non-empty";
            if (listType.isEmpty()) {
                errors.required(path + ".x-kubernetes-list-type", must);
            } else {
                errors.invalid(path + ".x-kubernetes-list-type", listType, must);
            }
        }
        if (listType.equals("map")) {
            listMap(keys, items, path);
        }
        if (List.of("set", "map").contains(listType) && items.path("nullable").asBoolean()) {
            errors.forbidden(path + ".items.nullable", "cannot be nullable when x-kubernetes-list-type is " + listType);
        }
    }

    private void listMap(JsonNode keys, JsonNode items, String path) {
        if (keys.isEmpty()) {
            errors.required(path + ".x-kubernetes-list-map-keys", "must not be empty if x-kubernetes-list-type is map");
        }
        if (!items.isObject()) {
            errors.required(path + ".items", "must have a schema if x-kubernetes-list-type is map");
            return;
        }
        String type = items.path("type").asText("");
        if (!type.isEmpty() && !type.equals("object")) {
            errors.invalid(
                    path + ".items.type", type, "must be object if parent array's x-kubernetes-list-type is map");
        }
        Set<String> seen = new HashSet<>();
        List<String> required = Definition.texts(items.path("required"));
        for (JsonNode key : keys) {
            JsonNode property = items.path("properties").path(key.asText());
            String at = path + ".items.properties[" + key.asText() + "]";
            if (!property.isObject()) {
                errors.invalid(
                        path + ".x-kubernetes-list-map-keys", keys, "entries must all be names of item properties");
            } else if (List.of("object", "array").contains(property.path("type").asText(""))) {
                errors.invalid(
                        at + ".type", type, "must be a scalar type if parent array's x-kubernetes-list-type is map");
            } else {
                if (!property.has("default") && !required.contains(key.asText())) {
                    errors.required(
                            at + ".default",
                            "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required"
                                    + " property");
                }
                if (property.path("nullable").asBoolean()) {
                    errors.forbidden(
                            at + ".nullable",
                            "this property is in x-kubernetes-list-map-keys, so it cannot be nullable");
                }
            }
            if (!seen.add(key.asText())) {
                errors.invalid(path + ".x-kubernetes-list-map-keys", keys, "must not contain duplicate entries");
            }
        }
    }

    private void expressions(JsonNode schema, String path) {
        JsonNode rules = schema.path("x-kubernetes-validations");
        List<String> reasons =
                List.of("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired");
        for (int i = 0; i < rules.size(); i++) {
            JsonNode rule = rules.get(i);
            String at = path + "[" + i + "]";
            String text = rule.path("rule").asText("");
            String message = rule.path("message").asText("");
            if (text.isBlank()) {
                errors.required(at + ".rule", "rule is not specified");
            } else if (!message.isEmpty() && message.isBlank()) {
                errors.invalid(at + ".message", message, "must be non-empty if specified");
            } else if (hasBreaks(message.strip())) {
                errors.invalid(at + ".message", message, "must not contain line breaks");
            } else if (hasBreaks(text.strip()) && message.isEmpty()) {
                errors.required(at + ".message", "message must be specified if rule contains line breaks");
            }
            String expression = rule.path("messageExpression").asText("");
            if (!expression.isEmpty() && expression.isBlank()) {
                errors.required(at + ".messageExpression", "messageExpression must be non-empty if specified");
            }
            if (rule.has("reason") && !reasons.contains(rule.path("reason").asText())) {
                errors.notSupported(at + ".reason", rule.path("reason").asText(), reasons);
            }
            String field = rule.path("fieldPath").asText("");
            if (!field.isEmpty()) {
                fieldPath(field, schema, at + ".fieldPath");
            }
        }
    }

    private void fieldPath(String field, JsonNode schema, String at) {
        if (field.isBlank()) {
            errors.invalid(at, field, "must be non-empty if specified");
        }
        if (hasBreaks(field)) {
            errors.invalid(at, field, "must not contain line breaks");
        }
        if (RuleFieldPath.shown(field, StructuralSchema.of(schema)).isEmpty()) {
            errors.invalid(at, field, "must be a valid path");
        }
    }

    private static boolean hasBreaks(String text) {
        return text.indexOf('\n') >= 0 || text.indexOf('\r') >= 0;
    }
}
