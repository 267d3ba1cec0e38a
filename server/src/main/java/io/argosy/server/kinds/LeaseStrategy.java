package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Strategy;
import io.argosy.server.rules.LeaseRules;
import io.argosy.server.validation.Spot;
import java.util.List;

/** Leases; those who want one settle among themselves who gets it, for nobody coordinates them. */
final class LeaseStrategy implements Strategy {
    private static final List<String> COORDINATED = List.of("strategy", "preferredHolder");

    @Override
    public void prepareForCreate(ObjectNode lease) {
        Trees.child(lease, "spec").remove(COORDINATED);
    }

    @Override
    public void prepareForUpdate(ObjectNode lease, ObjectNode before, String subresource) {
        for (String field : COORDINATED) {
            if (!before.path("spec").hasNonNull(field)) {
                Trees.child(lease, "spec").remove(field);
            }
        }
    }

    @Override
    public void validate(ObjectNode lease, FieldErrors errors) {
        LeaseRules.check(new Spot(lease, "", errors));
    }
}
