package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;
import static io.argosy.server.kinds.Trees.setDefault;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.names.Names;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.FinalizerNames;
import io.argosy.server.registry.Strategy;
import io.argosy.server.validation.Spot;
import java.util.Optional;

/** Namespaces: they stay, terminating, until whoever holds a finalizer in their spec has emptied them. */
final class NamespaceStrategy implements Strategy {
    @Override
    public Optional<String> nameError(String name) {
        return Names.labelError(name);
    }

    @Override
    public void applyDefaults(ObjectNode namespace) {
        ObjectNode metadata = child(namespace, "metadata");
        setDefault(child(namespace, "status"), "phase", "Active");
        child(metadata, "labels")
                .put("kubernetes.io/metadata.name", metadata.path("name").asText());
    }

    @Override
    public void prepareForCreate(ObjectNode namespace) {
        ObjectNode spec = child(namespace, "spec");
        ArrayNode finalizers = spec.get("finalizers") instanceof ArrayNode given ? given : spec.putArray("finalizers");
        boolean held = false;
        for (JsonNode finalizer : finalizers) {
            held |= finalizer.asText().equals("kubernetes");
        }
        if (!held) {
            finalizers.add("kubernetes");
        }
        namespace.putObject("status").put("phase", "Active");
    }

    /** The finalizers in the spec have a door of their own. */
    @Override
    public void prepareForUpdate(ObjectNode namespace, ObjectNode before, String subresource) {
        if (!subresource.equals("finalize")) {
            child(namespace, "spec")
                    .set("finalizers", before.path("spec").path("finalizers").deepCopy());
        }
    }

    @Override
    public void validateCreate(ObjectNode namespace, FieldErrors errors) {
        Spot finalizers = new Spot(namespace, "", errors).at("spec").at("finalizers");
        finalizers.each().forEach(finalizer -> check(finalizer.called(finalizers.path())));
    }

    private static void check(Spot finalizer) {
        finalizer.qualifiedName();
        FinalizerNames.check(finalizer);
    }

    @Override
    public void validateUpdate(ObjectNode namespace, ObjectNode before, String subresource, FieldErrors errors) {
        Spot object = new Spot(namespace, "", errors);
        if (subresource.equals("finalize")) {
            object.at("spec").each("finalizers").forEach(NamespaceStrategy::check);
        } else if (subresource.equals("status")) {
            boolean ending = object.at("metadata").has("deletionTimestamp");
            String phase = ending ? "Terminating" : "Active";
            Spot given = object.at("status").at("phase").called("status.Phase");
            if (!given.text().equals(phase)) {
                given.invalid(
                        given.text(),
                        "may only be '" + phase + "' if `deletionTimestamp` is " + (ending ? "not " : "") + "empty");
            }
        }
    }

    @Override
    public void beginDeletion(ObjectNode namespace) {
        child(namespace, "status").put("phase", "Terminating");
    }

    @Override
    public boolean holdsDeletion(ObjectNode namespace) {
        return !namespace.path("spec").path("finalizers").isEmpty();
    }
}
