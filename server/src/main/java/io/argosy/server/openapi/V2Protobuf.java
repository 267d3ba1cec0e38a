package io.argosy.server.openapi;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * Turns parts of an OpenAPI 2 document into the protobuf messages that clients in Go read (openapi.v2 of gnostic). The
 * numbers are those of its message definitions; what our documents never have is left out.
 */
final class V2Protobuf {
    private V2Protobuf() {}

    static Wire info(JsonNode info) {
        return new Wire().text(1, text(info, "title")).text(2, text(info, "version"));
    }

    /** A named thing in a map: paths, definitions, extensions. */
    static Wire named(String name, Wire value) {
        return new Wire().text(1, name).message(2, value);
    }

    static Wire path(JsonNode path) {
        Wire wire = new Wire();
        List<String> methods = List.of("get", "put", "post", "delete", "options", "head", "patch");
        for (int i = 0; i < methods.size(); i++) {
            if (path.has(methods.get(i))) {
                wire.message(2 + i, operation(path.path(methods.get(i))));
            }
        }
        path.path("parameters").forEach(parameter -> wire.message(9, parameter(parameter)));
        return wire;
    }

    private static Wire operation(JsonNode operation) {
        Wire wire = new Wire();
        texts(wire, 1, operation.path("tags"));
        wire.text(3, text(operation, "description"));
        wire.text(5, text(operation, "operationId"));
        texts(wire, 6, operation.path("produces"));
        texts(wire, 7, operation.path("consumes"));
        operation.path("parameters").forEach(parameter -> wire.message(8, parameter(parameter)));
        Wire responses = new Wire();
        for (Map.Entry<String, JsonNode> response : operation.path("responses").properties()) {
            Wire value = new Wire().message(1, response(response.getValue()));
            responses.message(1, named(response.getKey(), value));
        }
        wire.message(9, responses);
        texts(wire, 10, operation.path("schemes"));
        extensions(wire, 13, operation);
        return wire;
    }

    private static Wire response(JsonNode response) {
        Wire wire = new Wire().text(1, text(response, "description"));
        if (response.has("schema")) {
            wire.message(2, new Wire().message(1, schema(response.path("schema"))));
        }
        return wire;
    }

    /** A parameter in the wrappers that say of which of the many kinds it is. */
    private static Wire parameter(JsonNode parameter) {
        Wire kind = new Wire();
        switch (text(parameter, "in")) {
            case "body" ->
                kind.message(
                        1,
                        new Wire()
                                .text(2, text(parameter, "name"))
                                .text(3, "body")
                                .flag(4, parameter.path("required").asBoolean())
                                .message(5, schema(parameter.path("schema"))));
            case "path" -> kind.message(2, new Wire().message(4, valued(parameter, 5, 19)));
            default -> kind.message(2, new Wire().message(3, valued(parameter, 6, 20)));
        }
        return new Wire().message(1, kind);
    }

    private static Wire valued(JsonNode parameter, int type, int unique) {
        return new Wire()
                .flag(1, parameter.path("required").asBoolean())
                .text(2, text(parameter, "in"))
                .text(3, text(parameter, "description"))
                .text(4, text(parameter, "name"))
                .text(type, text(parameter, "type"))
                .flag(unique, parameter.path("uniqueItems").asBoolean());
    }

    static Wire schema(JsonNode schema) {
        Wire wire = new Wire()
                .text(1, text(schema, "$ref"))
                .text(2, text(schema, "format"))
                .text(4, text(schema, "description"));
        texts(wire, 19, schema.path("required"));
        if (schema.has("additionalProperties")) {
            wire.message(21, new Wire().message(1, schema(schema.path("additionalProperties"))));
        }
        if (schema.has("type")) {
            wire.message(22, new Wire().text(1, text(schema, "type")));
        }
        if (schema.has("items")) {
            wire.message(23, new Wire().message(1, schema(schema.path("items"))));
        }
        if (schema.has("properties")) {
            Wire properties = new Wire();
            for (Map.Entry<String, JsonNode> property :
                    schema.path("properties").properties()) {
                properties.message(1, named(property.getKey(), schema(property.getValue())));
            }
            wire.message(25, properties);
        }
        extensions(wire, 31, schema);
        return wire;
    }

    /** Bearer tokens as the one way to be known. */
    static Wire securityDefinitions(JsonNode definitions) {
        Wire wire = new Wire();
        for (Map.Entry<String, JsonNode> definition : definitions.properties()) {
            JsonNode key = definition.getValue();
            Wire apiKey = new Wire()
                    .text(1, text(key, "type"))
                    .text(2, text(key, "name"))
                    .text(3, text(key, "in"))
                    .text(4, text(key, "description"));
            wire.message(1, named(definition.getKey(), new Wire().message(2, apiKey)));
        }
        return wire;
    }

    static Wire security(JsonNode requirement) {
        Wire wire = new Wire();
        requirement.fieldNames().forEachRemaining(name -> wire.message(1, named(name, new Wire())));
        return wire;
    }

    private static void texts(Wire wire, int field, JsonNode texts) {
        texts.forEach(text -> wire.element(field, text.asText()));
    }

    /** Extensions are carried as YAML, and JSON is YAML. */
    private static void extensions(Wire wire, int field, JsonNode node) {
        for (Map.Entry<String, JsonNode> entry : node.properties()) {
            if (entry.getKey().startsWith("x-")) {
                String yaml = new String(Json.encode(entry.getValue()), StandardCharsets.UTF_8);
                wire.message(field, named(entry.getKey(), new Wire().text(2, yaml + "\n")));
            }
        }
    }

    private static String text(JsonNode node, String field) {
        return node.path(field).asText("");
    }
}
