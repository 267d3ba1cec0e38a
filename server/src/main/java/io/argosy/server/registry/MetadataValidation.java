package io.argosy.server.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.names.Names;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.validation.Spot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The rules for names, labels, annotations, owners and finalizers, the same for every kind. */
public final class MetadataValidation {
    private MetadataValidation() {}

    static void validate(ObjectNode object, ObjectNode before, Strategy strategy, FieldErrors errors) {
        Metadata metadata = Metadata.of(object);
        if (before == null) {
            name(metadata, strategy, errors);
        }
        labels(metadata.node().path("labels"), "metadata.labels", errors);
        new Spot(metadata.node(), "metadata", errors).at("annotations").annotations();
        owners(metadata.node().path("ownerReferences"), "metadata.ownerReferences", errors);
        finalizers(metadata, before, errors);
    }

    /** The same for metadata of an object within another, which need not have a name. */
    public static void embedded(ObjectNode metadata, String path, FieldErrors errors) {
        String name = metadata.path("name").asText("");
        Names.pathSegmentError(name).ifPresent(error -> errors.invalid(path + ".name", name, error));
        labels(metadata.path("labels"), path + ".labels", errors);
        new Spot(metadata, path, errors).at("annotations").annotations();
        owners(metadata.path("ownerReferences"), path + ".ownerReferences", errors);
        finalizers(metadata.path("finalizers"), path + ".finalizers", errors);
    }

    private static void name(Metadata metadata, Strategy strategy, FieldErrors errors) {
        String name = metadata.name();
        String base = metadata.node().path("generateName").asText("");
        if (!base.isEmpty()) {
            String begun = base.endsWith("-") ? base.substring(0, base.length() - 1) + "a" : base;
            strategy.nameError(begun).ifPresent(error -> errors.invalid("metadata.generateName", base, error));
        }
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

    private static void owners(JsonNode owners, String path, FieldErrors errors) {
        String controller = null;
        for (JsonNode owner : owners) {
            for (String field : List.of("apiVersion", "kind", "name", "uid")) {
                if (owner.path(field).asText().isEmpty()) {
                    errors.invalid(
                            path + "." + field,
                            "",
                            field.equals("apiVersion") ? "version must not be empty" : "must not be empty");
                }
            }
            if (owner.path("apiVersion").asText().equals("v1")
                    && owner.path("kind").asText().equals("Event")) {
                errors.invalid(path, owner, "/v1, Kind=Event is disallowed from being an owner");
            }
            if (owner.path("controller").asBoolean()) {
                String name =
                        owner.path("kind").asText() + "/" + owner.path("name").asText();
                if (controller != null) {
                    errors.invalid(
                            path,
                            owners,
                            "Only one reference can have Controller set to true. Found \"true\" in references for "
                                    + controller + " and " + name);
                }
                controller = controller == null ? name : controller;
            }
        }
    }

    private static void finalizers(JsonNode finalizers, String path, FieldErrors errors) {
        for (JsonNode finalizer : finalizers) {
            Names.qualifiedNameError(finalizer.asText())
                    .ifPresent(error -> errors.invalid(path, finalizer.asText(), error));
        }
    }

    private static void finalizers(Metadata metadata, ObjectNode before, FieldErrors errors) {
        finalizers(metadata.node().path("finalizers"), "metadata.finalizers", errors);
        if (metadata.finalizers().containsAll(List.of(DeletionRules.ORPHAN, DeletionRules.FOREGROUND))) {
            errors.invalid(
                    "metadata.finalizers",
                    metadata.node().path("finalizers"),
                    "finalizer " + DeletionRules.ORPHAN + " and " + DeletionRules.FOREGROUND + " cannot be both set");
        }
        if (before != null && metadata.isBeingDeleted()) {
            List<String> added = new ArrayList<>(metadata.finalizers());
            added.removeAll(Metadata.of(before).finalizers());
            if (!added.isEmpty()) {
                errors.forbidden(
                        "metadata.finalizers",
                        "no new finalizers can be added if the object is being deleted, found new finalizers"
                                + " []string{\""
                                + String.join("\", \"", added) + "\"}");
            }
        }
    }
}
