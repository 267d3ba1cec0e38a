package io.argosy.server.openapi;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.server.openapi.Operation.Parameter;
import io.argosy.server.openapi.Operation.Path;
import java.util.List;

/** Writes operations as OpenAPI 3 has them. */
final class V3Form {
    private V3Form() {}

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
        node.put("description", operation.description());
        node.put("operationId", operation.id());
        if (!operation.parameters().isEmpty()) {
            ArrayNode parameters = node.putArray("parameters");
            operation.parameters().forEach(parameter -> parameters.add(parameter(parameter)));
        }
        if (operation.body() != null) {
            ObjectNode body = node.putObject("requestBody");
            ObjectNode schema = SchemaForm.V3.reference(operation.body().name());
            body.set("content", content(operation.consumes(), schema));
            if (operation.bodyRequired()) {
                body.put("required", true);
            }
        }
        node.set("responses", responses(operation));
        node.putArray("tags").add(tag);
        node.put("x-kubernetes-action", operation.action());
        node.set("x-kubernetes-group-version-kind", SchemaForm.kind(operation.kind()));
        return node;
    }

    private static ObjectNode parameter(Parameter parameter) {
        ObjectNode node = Json.object();
        node.put("description", parameter.description());
        node.put("in", parameter.inPath() ? "path" : "query");
        node.put("name", parameter.name());
        if (parameter.inPath()) {
            node.put("required", true);
        }
        node.putObject("schema").put("type", parameter.type()).put("uniqueItems", true);
        return node;
    }

    private static ObjectNode responses(Operation operation) {
        ObjectNode schema = operation.answer() == null
                ? Json.object().put("type", "string")
                : SchemaForm.V3.reference(operation.answer().name());
        ObjectNode responses = Json.object();
        for (int status : operation.statuses()) {
            ObjectNode response = responses.putObject(Integer.toString(status));
            response.set("content", content(operation.produces(), schema));
            response.put("description", Operation.phrase(status));
        }
        responses.putObject("401").put("description", "Unauthorized");
        return responses;
    }

    private static ObjectNode content(List<String> types, ObjectNode schema) {
        ObjectNode content = Json.object();
        types.forEach(type -> content.putObject(type).set("schema", schema));
        return content;
    }
}
