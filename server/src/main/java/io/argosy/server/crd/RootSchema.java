package io.argosy.server.crd;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.status.FieldErrors;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What may stand at the root of a schema whose status is written by itself: the status is then checked by its own part of the schema, and what
 * else were said at the root would be lost.
 */
final class RootSchema {
    /** As upstream names them. */
    private static final List<String> ALLOWED = List.of(
            "Description",
            "Type",
            "Format",
            "Title",
            "Maximum",
            "ExclusiveMaximum",
            "Minimum",
            "ExclusiveMinimum",
            "MaxLength",
            "MinLength",
            "Pattern",
            "MaxItems",
            "MinItems",
            "UniqueItems",
            "MultipleOf",
            "Required",
            "Items",
            "Properties",
            "ExternalDocs",
            "Example",
            "XPreserveUnknownFields",
            "XValidations");

    private static final Map<String, String> EXTENSIONS = Map.of(
            "XPreserveUnknownFields",
            "x-kubernetes-preserve-unknown-fields",
            "XValidations",
            "x-kubernetes-validations");

    /** Said elsewhere, or not kept at all. */
    private static final Set<String> OTHERWISE = Set.of("nullable");

    private static final Set<String> FIELDS = ALLOWED.stream()
            .map(name ->
                    EXTENSIONS.getOrDefault(name, name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1)))
            .collect(Collectors.toUnmodifiableSet());

    private RootSchema() {}

    static void check(JsonNode schema, String path, FieldErrors errors) {
        if (schema.has("type") && !schema.path("type").asText().equals("object")) {
            errors.invalid(
                    path + ".type",
                    schema.path("type").asText(),
                    "only \"object\" is allowed as the type at the root of the schema if the status subresource is"
                            + " enabled");
            return;
        }
        for (Map.Entry<String, JsonNode> field : schema.properties()) {
            JsonNode value = field.getValue();
            boolean said = !value.isNull() && !(value.isBoolean() && !value.asBoolean());
            if (said && !FIELDS.contains(field.getKey()) && !OTHERWISE.contains(field.getKey())) {
                errors.invalid(
                        path,
                        schema,
                        "only [" + String.join(" ", ALLOWED)
                                + "] fields are allowed at the root of the schema if the status subresource is"
                                + " enabled");
                return;
            }
        }
    }
}
