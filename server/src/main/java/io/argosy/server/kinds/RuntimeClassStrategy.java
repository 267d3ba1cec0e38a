package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.podspec.RuntimeClassRules;
import io.argosy.server.registry.Strategy;

/** RuntimeClasses: the handler that pods were started with never changes. */
final class RuntimeClassStrategy implements Strategy {
    @Override
    public void validate(ObjectNode runtimeClass, FieldErrors errors) {
        RuntimeClassRules.check(runtimeClass, errors);
    }

    @Override
    public void validateUpdate(ObjectNode runtimeClass, ObjectNode before, String subresource, FieldErrors errors) {
        if (!runtimeClass.path("handler").equals(before.path("handler"))) {
            errors.invalid("handler", runtimeClass.path("handler").asText(), "field is immutable");
        }
    }
}
