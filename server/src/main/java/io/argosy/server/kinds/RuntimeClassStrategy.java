package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.podspec.RuntimeClassRules;
import io.argosy.server.registry.Strategy;
import io.argosy.server.warnings.ObjectWarnings;
import io.argosy.server.warnings.Remarks;
import java.util.function.Consumer;

/** RuntimeClasses: the handler that pods were started with never changes. */
final class RuntimeClassStrategy implements Strategy {
    @Override
    public void validate(ObjectNode runtimeClass, FieldErrors errors) {
        RuntimeClassRules.check(runtimeClass, errors);
    }

    @Override
    public void warn(ObjectNode runtimeClass, ObjectNode before, String subresource, Consumer<String> warnings) {
        ObjectWarnings.runtimeClass(runtimeClass, new Remarks(warnings));
    }

    @Override
    public void validateUpdate(ObjectNode runtimeClass, ObjectNode before, String subresource, FieldErrors errors) {
        if (!runtimeClass.path("handler").equals(before.path("handler"))) {
            errors.invalid("handler", runtimeClass.path("handler").asText(), "field is immutable");
        }
    }
}
