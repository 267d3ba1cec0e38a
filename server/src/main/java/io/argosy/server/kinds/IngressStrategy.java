package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Strategy;
import io.argosy.server.rules.IngressRules;
import io.argosy.server.validation.Spot;
import io.argosy.server.warnings.ObjectWarnings;
import io.argosy.server.warnings.Remarks;
import java.util.function.Consumer;

/** Ingresses, of which new ones must agree with themselves about their class. */
final class IngressStrategy implements Strategy {
    private static final String CLASS_ANNOTATION = "kubernetes.io/ingress.class";

    @Override
    public boolean hasGeneration() {
        return true;
    }

    @Override
    public void validate(ObjectNode ingress, FieldErrors errors) {
        IngressRules.check(new Spot(ingress, "", errors));
    }

    @Override
    public void warn(ObjectNode ingress, ObjectNode before, String subresource, Consumer<String> warnings) {
        if (subresource.equals("status")) {
            ObjectWarnings.balancer(ingress, new Remarks(warnings));
        } else if (before == null
                && ingress.path("metadata").path("annotations").has(CLASS_ANNOTATION)
                && !ingress.path("spec").has("ingressClassName")) {
            warnings.accept("annotation \"" + CLASS_ANNOTATION
                    + "\" is deprecated, please use 'spec.ingressClassName' instead");
        }
    }

    @Override
    public void validateUpdate(ObjectNode ingress, ObjectNode before, String subresource, FieldErrors errors) {
        if (subresource.equals("status")) {
            IngressRules.checkBalancer(new Spot(ingress.path("status"), "status", errors).at("loadBalancer"));
        }
    }

    @Override
    public void validateCreate(ObjectNode ingress, FieldErrors errors) {
        IngressRules.checkNew(new Spot(ingress, "", errors));
    }
}
