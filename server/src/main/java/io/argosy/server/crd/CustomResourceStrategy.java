package io.argosy.server.crd;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.FieldErrors;
import io.argosy.api.status.Reason;
import io.argosy.server.registry.Metadata;
import io.argosy.server.registry.Strategy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What is special about a custom resource: its definition says it all.
 *
 * @param content the version it is stored in
 * @param versions all of them, by apiVersion: an object must be right in the version its writer knows
 */
record CustomResourceStrategy(DefinedVersion content, Map<String, DefinedVersion> versions, boolean terminating)
        implements Strategy {
    /** Those of Kubernetes itself, which have no domain. */
    private static final Set<String> STANDARD = Set.of("orphan", "foregroundDeletion", "kubernetes");

    @Override
    public boolean hasGeneration() {
        return true;
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        if (terminating) {
            throw new ApiException(
                    Reason.MethodNotAllowed, "create not allowed while custom resource definition is terminating");
        }
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        content.settle(object);
    }

    @Override
    public void validateWrite(ObjectNode object, ObjectNode before, String version, FieldErrors errors) {
        DefinedVersion written = versions.getOrDefault(version, content);
        String wanted = written.kind().apiVersion();
        List<ObjectNode> others = new ArrayList<>();
        ObjectNode now = in(wanted, object, others);
        ObjectNode then = isSeen(before) ? in(wanted, before, others) : null;
        if (!others.isEmpty()) {
            written.convert(others, wanted);
            others.forEach(written::settle);
        }
        written.validate(now, then, errors);
    }

    /** Before its initializers are done nobody has seen an object, and it may become any other. */
    private static boolean isSeen(ObjectNode before) {
        return before != null
                && !Metadata.of(before).node().path("initializers").isObject();
    }

    @Override
    public void warn(ObjectNode object, ObjectNode before, String subresource, Consumer<String> warnings) {
        List<String> added = new ArrayList<>(Metadata.of(object).finalizers());
        added.removeAll(before == null ? List.of() : Metadata.of(before).finalizers());
        for (String finalizer : added) {
            if (finalizer.indexOf('/') < 0 && !STANDARD.contains(finalizer)) {
                warnings.accept("metadata.finalizers: \"" + finalizer + "\": prefer a domain-qualified finalizer name "
                        + (finalizer.indexOf('.') >= 0 ? "including a path (/) " : "")
                        + "to avoid accidental conflicts with other finalizer writers");
            }
        }
    }

    /** The object, or a copy that is yet to be converted. */
    private static ObjectNode in(String wanted, ObjectNode object, List<ObjectNode> others) {
        if (object.path("apiVersion").asText().equals(wanted)) {
            return object;
        }
        ObjectNode copy = object.deepCopy();
        others.add(copy);
        return copy;
    }
}
