package io.argosy.server.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Strategy;
import io.argosy.server.rules.ConditionRules;
import io.argosy.server.validation.Spot;
import java.util.List;

/** Policies, of those that judge objects and of those that change them: their defaults and rules. */
public record PolicyStrategy(boolean mutating) implements Strategy {
    @Override
    public boolean hasGeneration() {
        return true;
    }

    @Override
    public void applyDefaults(ObjectNode policy) {
        if (policy.get("spec") instanceof ObjectNode spec) {
            if (!spec.hasNonNull("failurePolicy")) {
                spec.put("failurePolicy", "Fail");
            }
            if (spec.get("matchConstraints") instanceof ObjectNode constraints) {
                matchDefaults(constraints);
            }
        }
    }

    static void matchDefaults(ObjectNode match) {
        if (!match.hasNonNull("matchPolicy")) {
            match.put("matchPolicy", "Equivalent");
        }
        for (String selector : List.of("namespaceSelector", "objectSelector")) {
            if (!match.path(selector).isObject()) {
                match.putObject(selector);
            }
        }
        for (String rules : List.of("resourceRules", "excludeResourceRules")) {
            for (JsonNode rule : match.path(rules)) {
                if (rule instanceof ObjectNode one && !one.hasNonNull("scope")) {
                    one.put("scope", "*");
                }
            }
        }
    }

    @Override
    public void validateCreate(ObjectNode policy, FieldErrors errors) {
        new PolicyValidation(policy, null, errors).check(mutating);
    }

    @Override
    public void validateUpdate(ObjectNode policy, ObjectNode before, String subresource, FieldErrors errors) {
        if (subresource.equals("status")) {
            Spot status = new Spot(policy.path("status"), "status", errors);
            status.at("typeChecking").each("expressionWarnings").forEach(PolicyStrategy::warning);
            ConditionRules.check(status.at("conditions"));
        }
        if (!policy.path("spec").equals(before.path("spec"))) {
            new PolicyValidation(policy, before, errors).check(mutating);
        }
    }

    private static void warning(Spot warning) {
        warning.at("warning").needed();
        Spot place = warning.at("fieldRef");
        if (place.text().isBlank()) {
            place.required();
        }
    }
}
