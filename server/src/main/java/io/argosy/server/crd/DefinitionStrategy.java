package io.argosy.server.crd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.api.time.Clock;
import io.argosy.server.registry.Conditions;
import io.argosy.server.registry.Metadata;
import io.argosy.server.registry.Strategy;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;

/** Definitions of custom resources: they stay, terminating, until the objects of the resource are gone. */
public record DefinitionStrategy(Clock clock) implements Strategy {
    static final String CLEANUP = "customresourcecleanup.apiextensions.k8s.io";

    @Override
    public boolean hasGeneration() {
        return true;
    }

    @Override
    public void applyDefaults(ObjectNode definition) {
        if (!(definition.get("spec") instanceof ObjectNode spec)) {
            return;
        }
        if (spec.get("names") instanceof ObjectNode names && names.hasNonNull("kind")) {
            String kind = names.path("kind").asText();
            if (names.path("singular").asText("").isEmpty()) {
                names.put("singular", kind.toLowerCase(Locale.ROOT));
            }
            if (names.path("listKind").asText("").isEmpty() && !kind.isEmpty()) {
                names.put("listKind", kind + "List");
            }
        }
        if (!spec.has("conversion")) {
            spec.putObject("conversion").put("strategy", "None");
        }
        if (spec.at("/conversion/webhook/clientConfig/service") instanceof ObjectNode service && !service.has("port")) {
            service.put("port", 443);
        }
        if (!spec.path("preserveUnknownFields").asBoolean()) {
            spec.remove("preserveUnknownFields");
        }
    }

    @Override
    public void prepareForCreate(ObjectNode definition) {
        ObjectNode status = definition.putObject("status");
        status.putObject("acceptedNames").put("kind", "").put("plural", "");
        status.putArray("conditions");
        remember(definition);
    }

    @Override
    public void prepareForUpdate(ObjectNode definition, ObjectNode before, String subresource) {
        if (!subresource.equals("status")) {
            remember(definition);
        }
    }

    /** Keeps in mind in which versions objects may be stored. */
    private static void remember(ObjectNode definition) {
        ObjectNode status =
                definition.get("status") instanceof ObjectNode found ? found : definition.putObject("status");
        ArrayNode stored =
                status.get("storedVersions") instanceof ArrayNode found ? found : status.putArray("storedVersions");
        List<String> known = Definition.texts(stored);
        for (JsonNode version : definition.path("spec").path("versions")) {
            String name = version.path("name").asText();
            if (version.path("storage").asBoolean() && !known.contains(name)) {
                stored.add(name);
            }
        }
    }

    @Override
    public void validateCreate(ObjectNode definition, FieldErrors errors) {
        DefinitionValidation.validate(definition, null, errors);
    }

    @Override
    public void validateUpdate(ObjectNode definition, ObjectNode before, String subresource, FieldErrors errors) {
        DefinitionValidation.validate(definition, before, errors);
    }

    /** A format that nobody knows demands nothing, which may be a surprise. */
    @Override
    public void warn(ObjectNode definition, ObjectNode before, String subresource, Consumer<String> warnings) {
        if (!subresource.equals("status")) {
            Set<String> unknown = unknownFormats(definition);
            unknown.removeAll(before == null ? Set.of() : unknownFormats(before));
            unknown.forEach(format -> warnings.accept("unrecognized format \"" + format + "\""));
        }
    }

    private static Set<String> unknownFormats(ObjectNode definition) {
        Set<String> unknown = new LinkedHashSet<>();
        for (JsonNode version : definition.path("spec").path("versions")) {
            for (JsonNode node : Definition.schemaOf(version).findParents("format")) {
                String format = node.path("format").asText("");
                boolean ofText = node.path("type").asText("").equals("string");
                if (ofText && !format.isEmpty() && !Formats.isKnown(format)) {
                    unknown.add(format);
                }
            }
        }
        return unknown;
    }

    @Override
    public boolean holdsDeletion(ObjectNode definition) {
        return !Metadata.of(definition).isBeingDeleted();
    }

    @Override
    public void beginDeletion(ObjectNode definition) {
        Metadata metadata = Metadata.of(definition);
        List<String> finalizers = metadata.finalizers();
        if (!finalizers.contains(CLEANUP)) {
            finalizers.add(CLEANUP);
            metadata.setFinalizers(finalizers);
        }
        ObjectNode status =
                definition.get("status") instanceof ObjectNode found ? found : definition.putObject("status");
        Conditions.set(
                status,
                new Conditions.Condition(
                        "Terminating",
                        "True",
                        "InstanceDeletionPending",
                        "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"),
                clock);
    }
}
