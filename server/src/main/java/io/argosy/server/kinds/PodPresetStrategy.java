package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.dynamic.MatchValidation;
import io.argosy.server.registry.Strategy;
import java.util.List;

/** Presets of pods: they must have something for the pods they select. */
final class PodPresetStrategy implements Strategy {
    @Override
    public void validate(ObjectNode preset, FieldErrors errors) {
        JsonNode spec = preset.path("spec");
        new MatchValidation(errors).selector(spec.path("selector"), "spec.selector");
        boolean gives = List.of("volumes", "env", "envFrom", "volumeMounts").stream()
                .anyMatch(field -> !spec.path(field).isEmpty());
        if (!gives) {
            errors.required("spec.volumes.env.envFrom.volumeMounts", "must specify at least one");
        }
    }
}
