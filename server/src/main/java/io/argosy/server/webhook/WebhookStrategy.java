package io.argosy.server.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.names.Names;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.dynamic.MatchValidation;
import io.argosy.server.dynamic.Scopes;
import io.argosy.server.registry.Strategy;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Configurations of webhooks, of those that change objects and of those that judge them: their defaults and rules. */
public record WebhookStrategy(boolean mutating) implements Strategy {
    private static final List<String> NO_EFFECTS = List.of("None", "NoneOnDryRun");
    private static final List<String> SPOKEN = List.of("v1", "v1beta1");
    private static final int MAX_SECONDS = 30;

    @Override
    public boolean hasGeneration() {
        return true;
    }

    @Override
    public void applyDefaults(ObjectNode configuration) {
        for (JsonNode one : configuration.path("webhooks")) {
            if (one instanceof ObjectNode webhook) {
                defaults(webhook);
            }
        }
    }

    private void defaults(ObjectNode webhook) {
        putIfAbsent(webhook, "failurePolicy", "Fail");
        putIfAbsent(webhook, "matchPolicy", "Equivalent");
        if (!webhook.hasNonNull("timeoutSeconds")) {
            webhook.put("timeoutSeconds", 10);
        }
        for (String selector : List.of("namespaceSelector", "objectSelector")) {
            if (!webhook.path(selector).isObject()) {
                webhook.putObject(selector);
            }
        }
        if (mutating) {
            putIfAbsent(webhook, "reinvocationPolicy", "Never");
        }
        for (JsonNode rule : webhook.path("rules")) {
            if (rule instanceof ObjectNode one) {
                putIfAbsent(one, "scope", "*");
            }
        }
        if (webhook.path("clientConfig").path("service") instanceof ObjectNode service && !service.hasNonNull("port")) {
            service.put("port", 443);
        }
    }

    private static void putIfAbsent(ObjectNode object, String field, String value) {
        if (!object.hasNonNull(field)) {
            object.put(field, value);
        }
    }

    @Override
    public void validateCreate(ObjectNode configuration, FieldErrors errors) {
        validate(configuration, null, errors);
    }

    @Override
    public void validateUpdate(ObjectNode configuration, ObjectNode before, String subresource, FieldErrors errors) {
        validate(configuration, before, errors);
    }

    private void validate(ObjectNode configuration, ObjectNode before, FieldErrors errors) {
        JsonNode webhooks = configuration.path("webhooks");
        Set<String> names = new HashSet<>();
        for (int i = 0; i < webhooks.size(); i++) {
            String path = "webhooks[" + i + "]";
            JsonNode known = before == null
                    ? com.fasterxml.jackson.databind.node.MissingNode.getInstance()
                    : before.path("webhooks").path(i).path("matchConditions");
            webhook(webhooks.get(i), known, path, errors);
            String name = webhooks.get(i).path("name").asText("");
            if (!name.isEmpty() && !names.add(name)) {
                errors.duplicate(path + ".name", name);
            }
        }
    }

    private void webhook(JsonNode webhook, JsonNode known, String path, FieldErrors errors) {
        MatchValidation match = new MatchValidation(errors);
        name(webhook.path("name").asText(""), path + ".name", errors);
        match.rules(webhook.path("rules"), path + ".rules");
        match.supported(webhook, "failurePolicy", path, List.of("Fail", "Ignore"));
        match.supported(webhook, "matchPolicy", path, List.of("Equivalent", "Exact"));
        if (!webhook.hasNonNull("sideEffects")) {
            errors.required(path + ".sideEffects", "must specify one of " + String.join(", ", NO_EFFECTS));
        } else {
            match.supported(webhook, "sideEffects", path, NO_EFFECTS);
        }
        int seconds = webhook.path("timeoutSeconds").asInt();
        if (seconds < 1 || seconds > MAX_SECONDS) {
            errors.invalid(path + ".timeoutSeconds", seconds, "the timeout value must be between 1 and 30 seconds");
        }
        match.selector(webhook.path("namespaceSelector"), path + ".namespaceSelector");
        match.selector(webhook.path("objectSelector"), path + ".objectSelector");
        if (mutating) {
            match.supported(webhook, "reinvocationPolicy", path, List.of("IfNeeded", "Never"));
        }
        new ClientConfigValidation(errors).check(webhook.path("clientConfig"), path + ".clientConfig");
        match.conditions(webhook.path("matchConditions"), known, path + ".matchConditions", Scopes::ofWebhooks);
        reviewVersions(webhook.path("admissionReviewVersions"), path + ".admissionReviewVersions", errors);
    }

    /** A webhook is named like a host of its owner's domain. */
    private static void name(String name, String path, FieldErrors errors) {
        if (name.isEmpty()) {
            errors.required(path, "");
        } else if (Names.subdomainError(name).isPresent()) {
            errors.invalid(path, name, Names.subdomainError(name).get());
        } else if (name.split("\\.", -1).length < 3) {
            errors.invalid(path, name, "should be a domain with at least three segments separated by dots");
        }
    }

    private static void reviewVersions(JsonNode versions, String path, FieldErrors errors) {
        if (versions.isEmpty()) {
            errors.required(path, "must specify one of " + String.join(", ", SPOKEN));
            return;
        }
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < versions.size(); i++) {
            String version = versions.get(i).asText();
            String at = path + "[" + i + "]";
            if (!seen.add(version)) {
                errors.invalid(at, version, "duplicate version");
            } else {
                Names.label1035Error(version).ifPresent(error -> errors.invalid(at, version, error));
            }
        }
        if (SPOKEN.stream().noneMatch(seen::contains)) {
            errors.invalid(path, versions, "must include at least one of " + String.join(", ", SPOKEN));
        }
    }
}
