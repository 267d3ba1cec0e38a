package io.argosy.server.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.names.Names;
import io.argosy.api.status.FieldErrors;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The rules for names, labels, annotations, owners and finalizers, the same for every kind. */
final class MetadataValidation {
    private static final int ANNOTATIONS_LIMIT = 256 * 1024;

    private MetadataValidation() {}

    static void validate(ObjectNode object, ObjectNode before, Strategy strategy, FieldErrors errors) {
        Metadata metadata = Metadata.of(object);
        if (before == null) {
            name(metadata, strategy, errors);
        }
        labels(metadata.node().path("labels"), "metadata.labels", errors);
        annotations(metadata.node().path("annotations"), errors);
        owners(metadata.node().path("ownerReferences"), errors);
        finalizers(metadata, before, errors);
    }

    private static void name(Metadata metadata, Strategy strategy, FieldErrors errors) {
        String name = metadata.name();
        if (name.isEmpty()) {
            errors.required("metadata.name", "name or generateName is required");
            return;
        }
        strategy.nameError(name).ifPresent(error -> errors.invalid("metadata.name", name, error));
    }

    static void labels(JsonNode labels, String path, FieldErrors errors) {
        for (Map.Entry<String, JsonNode> label : labels.properties()) {
            Names.qualifiedNameError(label.getKey()).ifPresent(error -> errors.invalid(path, label.getKey(), error));
            String value = label.getValue().asText();
            Names.labelValueError(value).ifPresent(error -> errors.invalid(path, value, error));
        }
    }

    private static void annotations(JsonNode annotations, FieldErrors errors) {
        long size = 0;
        for (Map.Entry<String, JsonNode> annotation : annotations.properties()) {
            String key = annotation.getKey();
            Names.qualifiedNameError(key.toLowerCase(java.util.Locale.ROOT))
                    .ifPresent(error -> errors.invalid("metadata.annotations", key, error));
            size += key.length() + annotation.getValue().asText().length();
        }
        if (size > ANNOTATIONS_LIMIT) {
            errors.tooLong("metadata.annotations", ANNOTATIONS_LIMIT);
        }
    }

    private static void owners(JsonNode owners, FieldErrors errors) {
        String controller = null;
        for (int i = 0; i < owners.size(); i++) {
            JsonNode owner = owners.get(i);
            String path = "metadata.ownerReferences[" + i + "].";
            for (String field : List.of("apiVersion", "kind", "name", "uid")) {
                if (owner.path(field).asText().isEmpty()) {
                    errors.invalid(
                            path + field, "", (field.equals("apiVersion") ? "version" : field) + " must not be empty");
                }
            }
            if (owner.path("controller").asBoolean()) {
                String name = owner.path("name").asText();
                if (controller != null) {
                    errors.invalid(
                            "metadata.ownerReferences",
                            name,
                            "Only one reference can have Controller set to true. Found \"true\" in references for "
                                    + controller + " and " + name);
                }
                controller = name;
            }
        }
    }

    private static void finalizers(Metadata metadata, ObjectNode before, FieldErrors errors) {
        for (String finalizer : metadata.finalizers()) {
            Names.qualifiedNameError(finalizer)
                    .ifPresent(error -> errors.invalid("metadata.finalizers", finalizer, error));
        }
        if (before != null && metadata.isBeingDeleted()) {
            List<String> added = new ArrayList<>(metadata.finalizers());
            added.removeAll(Metadata.of(before).finalizers());
            if (!added.isEmpty()) {
                errors.forbidden(
                        "metadata.finalizers",
                        "no new finalizers can be added if the object is being deleted, found new finalizers []string{\""
                                + String.join("\", \"", added) + "\"}");
            }
        }
    }
}
