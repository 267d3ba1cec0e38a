package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Strategy;
import io.argosy.server.rules.IngressRules;
import io.argosy.server.validation.Spot;

/** Ingresses, of which new ones must agree with themselves about their class. */
final class IngressStrategy implements Strategy {
    @Override
    public boolean hasGeneration() {
        return true;
    }

    @Override
    public void validate(ObjectNode ingress, FieldErrors errors) {
        IngressRules.check(new Spot(ingress, "", errors));
    }

    @Override
    public void validateCreate(ObjectNode ingress, FieldErrors errors) {
        IngressRules.checkNew(new Spot(ingress, "", errors));
    }
}
