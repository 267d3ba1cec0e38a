package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.names.Names;
import io.argosy.server.registry.Strategy;
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
        child(metadata, "labels")
                .put("kubernetes.io/metadata.name", metadata.path("name").asText());
    }

    @Override
    public void prepareForCreate(ObjectNode namespace) {
        child(namespace, "spec").putArray("finalizers").add("kubernetes");
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
    public void beginDeletion(ObjectNode namespace) {
        child(namespace, "status").put("phase", "Terminating");
    }

    @Override
    public boolean holdsDeletion(ObjectNode namespace) {
        return !namespace.path("spec").path("finalizers").isEmpty();
    }
}
