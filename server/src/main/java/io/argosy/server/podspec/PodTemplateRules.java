package io.argosy.server.podspec;

import io.argosy.server.validation.Spot;
import java.util.Set;

/** What the template that pods are made from must say. */
public final class PodTemplateRules {
    private PodTemplateRules() {}

    public static void check(Spot template) {
        check(template, Set.of());
    }

    /** Containers may also mount the further volumes, which pods will be given when they are made. */
    public static void check(Spot template, Set<String> further) {
        Spot metadata = template.at("metadata");
        metadata.at("labels").called(template.path() + ".labels").labels();
        metadata.at("annotations").called(template.path() + ".annotations").annotations();
        Spot spec = template.at("spec");
        PodSpecRules.check(spec.value(), spec.path(), further, spec.errors());
        PodAnnotations.check(metadata.at("annotations").called(template.path() + ".annotations"), spec);
        if (!spec.at("ephemeralContainers").value().isEmpty()) {
            spec.at("ephemeralContainers").forbidden("ephemeral containers not allowed in pod template");
        }
    }
}
