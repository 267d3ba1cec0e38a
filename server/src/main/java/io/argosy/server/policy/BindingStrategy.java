package io.argosy.server.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.names.Names;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.dynamic.MatchValidation;
import io.argosy.server.registry.Strategy;
import io.argosy.server.validation.Spot;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Bindings of policies: their defaults and rules. */
public record BindingStrategy(boolean mutating) implements Strategy {
    private static final List<String> ACTIONS = List.of("Audit", "Deny", "Warn");

    @Override
    public boolean hasGeneration() {
        return true;
    }

    @Override
    public void applyDefaults(ObjectNode binding) {
        if (binding.path("spec").path("matchResources") instanceof ObjectNode resources) {
            PolicyStrategy.matchDefaults(resources);
        }
    }

    @Override
    public void validate(ObjectNode binding, FieldErrors errors) {
        JsonNode spec = binding.path("spec");
        MatchValidation match = new MatchValidation(errors);
        String policy = spec.path("policyName").asText("");
        if (policy.isEmpty()) {
            errors.required("spec.policyName", "");
        } else {
            Names.subdomainError(policy).ifPresent(error -> errors.invalid("spec.policyName", policy, error));
        }
        if (spec.path("paramRef").isObject()) {
            reference(spec.path("paramRef"), match, errors);
        }
        if (spec.path("matchResources").isObject()) {
            PolicyValidation.resources(match, spec.path("matchResources"), "spec.matchResources");
            if (mutating) {
                PolicyValidation.mutable(match, spec.path("matchResources"), "spec.matchResources");
            }
        }
        if (!mutating) {
            actions(spec.path("validationActions"), errors);
        }
    }

    private static void reference(JsonNode reference, MatchValidation match, FieldErrors errors) {
        String path = "spec.paramRef";
        String name = reference.path("name").asText("");
        boolean selects = reference.path("selector").isObject();
        boolean both = selects && !name.isEmpty();
        Names.pathSegmentError(name).ifPresent(error -> errors.invalid(path + ".name", name, error));
        if (both) {
            errors.forbidden(path + ".name", "name and selector are mutually exclusive");
        }
        match.selector(reference.path("selector"), path + ".selector");
        if (both) {
            errors.forbidden(path + ".selector", "name and selector are mutually exclusive");
        }
        if (name.isEmpty() && !selects) {
            errors.required(path, "one of name or selector must be specified");
        }
        Spot absence = new Spot(reference, path, errors).at("parameterNotFoundAction");
        absence.neededOneOf(List.of("Deny", "Allow"));
    }

    private static void actions(JsonNode actions, FieldErrors errors) {
        String path = "spec.validationActions";
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < actions.size(); i++) {
            String action = actions.get(i).asText();
            if (!ACTIONS.contains(action)) {
                errors.notSupported(path + "[" + i + "]", action, ACTIONS);
            }
            if (!seen.add(action)) {
                errors.duplicate(path + "[" + i + "]", action);
            }
        }
        if (seen.contains("Deny") && seen.contains("Warn")) {
            errors.invalid(
                    path,
                    actions,
                    "must not contain both Deny and Warn (repeating the same validation failure information in the API"
                            + " response and headers serves no purpose)");
        }
        if (seen.isEmpty()) {
            errors.required(path, "at least one validation action is required");
        }
    }
}
