package io.argosy.server.openapi;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.server.openapi.Operation.Parameter;
import io.argosy.server.openapi.Operation.Path;

/** Writes operations as OpenAPI 2 has them. */
final class V2Form {
    private V2Form() {}

    static ObjectNode path(Path path, String tag) {
        ObjectNode node = Json.object();
        for (Operation operation : path.operations()) {
            node.set(operation.method(), operation(operation, tag));
        }
        ArrayNode parameters = node.putArray("parameters");
        path.parameters().forEach(parameter -> parameters.add(parameter(parameter)));
        return node;
    }

    private static ObjectNode operation(Operation operation, String tag) {
        ObjectNode node = Json.object();
        SchemaForm.strings(node, "consumes", operation.consumes());
        node.put("description", operation.description());
        node.put("operationId", operation.id());
        ArrayNode parameters = Json.NODES.arrayNode();
        if (operation.body() != null) {
            parameters.add(body(operation));
        }
        operation.parameters().forEach(parameter -> parameters.add(parameter(parameter)));
        if (!parameters.isEmpty()) {
            node.set("parameters", parameters);
        }
        SchemaForm.strings(node, "produces", operation.produces());
        node.set("responses", responses(operation));
        node.putArray("schemes").add("https");
        node.putArray("tags").add(tag);
        node.put("x-kubernetes-action", operation.action());
        node.set("x-kubernetes-group-version-kind", SchemaForm.kind(operation.kind()));
        return node;
    }

    private static ObjectNode body(Operation operation) {
        ObjectNode body = Json.object().put("in", "body").put("name", "body");
        if (operation.bodyRequired()) {
            body.put("required", true);
        }
        body.set("schema", SchemaForm.V2.reference(operation.body().name()));
        return body;
    }

    private static ObjectNode parameter(Parameter parameter) {
        ObjectNode node = Json.object();
        node.put("description", parameter.description());
        node.put("in", parameter.inPath() ? "path" : "query");
        node.put("name", parameter.name());
        if (parameter.inPath()) {
            node.put("required", true);
        }
        return node.put("type", parameter.type()).put("uniqueItems", true);
    }

    private static ObjectNode responses(Operation operation) {
        ObjectNode responses = Json.object();
        for (int status : operation.statuses()) {
            ObjectNode response = responses.putObject(Integer.toString(status));
            response.put("description", Operation.phrase(status));
            response.set(
                    "schema",
                    operation.answer() == null
                            ? Json.object().put("type", "string")
                            : SchemaForm.V2.reference(operation.answer().name()));
        }
        responses.putObject("401").put("description", "Unauthorized");
        return responses;
    }
}
