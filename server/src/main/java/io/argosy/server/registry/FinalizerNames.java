package io.argosy.server.registry;

import io.argosy.api.kinds.ResourceType;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.validation.Spot;
import java.util.Set;

/** Who keeps objects of the built-in kinds says in whose name, but for the few that Kubernetes itself knows. */
public final class FinalizerNames {
    private static final Set<String> STANDARD = Set.of("kubernetes", "orphan", "foregroundDeletion");

    /** Groups whose kinds are checked as custom ones are. */
    private static final Set<String> LENIENT = Set.of(
            "admissionregistration.k8s.io",
            "apiextensions.k8s.io",
            "apiregistration.k8s.io",
            "coordination.k8s.io",
            "node.k8s.io",
            "policy");

    private FinalizerNames() {}

    static void check(ResourceType type, Metadata metadata, FieldErrors errors) {
        if (!type.isCustom() && !LENIENT.contains(type.group())) {
            new Spot(metadata.node(), "metadata", errors).each("finalizers").forEach(FinalizerNames::check);
        }
    }

    /** One of them, wherever it stands. */
    public static void check(Spot finalizer) {
        if (!finalizer.text().contains("/") && !STANDARD.contains(finalizer.text())) {
            finalizer.invalid("name is neither a standard finalizer name nor is it fully qualified");
        }
    }
}
