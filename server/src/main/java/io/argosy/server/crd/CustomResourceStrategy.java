package io.argosy.server.crd;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.FieldErrors;
import io.argosy.api.status.Reason;
import io.argosy.server.registry.Strategy;

/** What is special about a custom resource: its definition says it all. */
record CustomResourceStrategy(DefinedVersion content, boolean terminating) implements Strategy {
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
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        content.validate(object, null, errors);
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode before, String subresource, FieldErrors errors) {
        content.validate(object, before, errors);
    }
}
