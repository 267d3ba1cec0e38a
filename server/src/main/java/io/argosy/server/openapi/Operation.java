package io.argosy.server.openapi;

import io.argosy.api.GroupVersionKind;
import io.argosy.api.schema.Schemas;
import java.util.List;

/**
 * What one method on one path does, in no version of OpenAPI yet.
 *
 * @param method in lower case
 * @param action the word of Kubernetes for it: get, list, post, put, patch, delete, deletecollection or connect
 * @param kind what the operation is about; clients look operations up by it
 * @param body the schema of the body, or null where there is none
 * @param bodyRequired whether a request without it is refused
 * @param answer the schema of a good answer, or null for text
 * @param statuses the codes of good answers
 */
record Operation(
        String method,
        String id,
        String description,
        String action,
        GroupVersionKind kind,
        List<Parameter> parameters,
        SchemaRef body,
        boolean bodyRequired,
        SchemaRef answer,
        List<Integer> statuses) {

    static final List<String> PATCH_TYPES = List.of(
            "application/json-patch+json",
            "application/merge-patch+json",
            "application/strategic-merge-patch+json",
            "application/apply-patch+yaml");

    /** Custom resources have no strategic merge. */
    static final List<String> CUSTOM_PATCH_TYPES =
            List.of("application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml");

    /** The name of a schema that the document has. */
    record SchemaRef(String name) {}

    /**
     * A parameter in the path or the query.
     *
     * @param type string, integer or boolean
     */
    record Parameter(String name, boolean inPath, String type, String description) {}

    /** All operations on a path, and the parameters that all of them take. */
    record Path(String path, List<Parameter> parameters, List<Operation> operations) {}

    List<String> consumes() {
        if (!method.equals("patch") || action.equals("connect")) {
            return List.of("*/*");
        }
        return Schemas.builtIn().find(kind).isPresent() ? PATCH_TYPES : CUSTOM_PATCH_TYPES;
    }

    List<String> produces() {
        if (answer == null) {
            return action.equals("connect")
                    ? List.of("*/*")
                    : List.of("text/plain", "application/json", "application/yaml");
        }
        return action.equals("list")
                ? List.of("application/json", "application/yaml", "application/json;stream=watch")
                : List.of("application/json", "application/yaml");
    }

    /** The words that go with the codes of good answers. */
    static String phrase(int status) {
        return switch (status) {
            case 201 -> "Created";
            case 202 -> "Accepted";
            default -> "OK";
        };
    }
}
