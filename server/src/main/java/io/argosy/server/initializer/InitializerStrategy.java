package io.argosy.server.initializer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.names.Names;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Strategy;
import java.util.List;

/** The rules for configurations of initializers. */
public final class InitializerStrategy implements Strategy {
    private static final int SEGMENTS = 3;

    @Override
    public void validate(ObjectNode object, FieldErrors errors) {
        JsonNode initializers = object.path("initializers");
        for (int i = 0; i < initializers.size(); i++) {
            String path = "initializers[" + i + "]";
            String name = initializers.get(i).path("name").asText("");
            if (name.isEmpty()) {
                errors.required(path + ".name", "");
            } else {
                Names.subdomainError(name).ifPresent(error -> errors.invalid(path + ".name", name, error));
                if (name.split("\\.").length < SEGMENTS) {
                    errors.invalid(
                            path + ".name", name, "should be a domain with at least three segments separated by dots");
                }
            }
            rules(initializers.get(i).path("rules"), path + ".rules", errors);
        }
    }

    private static void rules(JsonNode rules, String path, FieldErrors errors) {
        for (int i = 0; i < rules.size(); i++) {
            for (String field : List.of("apiGroups", "apiVersions", "resources")) {
                JsonNode values = rules.get(i).path(field);
                String at = path + "[" + i + "]." + field;
                if (values.isEmpty()) {
                    errors.required(at, "");
                }
                for (int j = 0; j < values.size(); j++) {
                    String value = values.get(j).asText();
                    if (value.equals("*") && values.size() > 1) {
                        errors.invalid(at, value, "if '*' is present, must not specify other values");
                    }
                    if (field.equals("resources") && value.contains("/")) {
                        errors.invalid(at + "[" + j + "]", value, "must not specify subresources");
                    }
                }
            }
        }
    }
}
