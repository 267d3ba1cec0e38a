package io.argosy.server.aggregation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.names.Names;
import io.argosy.api.status.FieldErrors;
import io.argosy.api.time.Clock;
import io.argosy.server.registry.Metadata;
import io.argosy.server.registry.Strategy;
import java.util.List;
import java.util.Optional;

/** The rules for registrations of API servers. Those that this server answers for are available from the first moment. */
public final class ApiServiceStrategy implements Strategy {
    private static final int MAX_GROUP_PRIORITY = 20000;
    private static final int MAX_VERSION_PRIORITY = 1000;

    private final Clock clock;

    public ApiServiceStrategy(Clock clock) {
        this.clock = clock;
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        if (object.path("spec").path("service") instanceof ObjectNode service && !service.hasNonNull("port")) {
            service.put("port", ApiService.DEFAULT_PORT);
        }
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        if (!object.path("spec").path("service").isObject()) {
            sayLocal(object, clock);
        }
    }

    @Override
    public void prepareForUpdate(ObjectNode object, ObjectNode before, String subresource) {
        boolean local = !object.path("spec").path("service").isObject();
        if (subresource.isEmpty()
                && local
                && before.path("spec").path("service").isObject()) {
            sayLocal(object, clock);
        }
    }

    static void sayLocal(ObjectNode object, Clock clock) {
        object.putObject("status")
                .putArray("conditions")
                .addObject()
                .put("lastTransitionTime", Metadata.time(clock.now()))
                .put("message", "Local APIServices are always available")
                .put("reason", "Local")
                .put("status", "True")
                .put("type", "Available");
    }

    /** The name of the core group's ends with a dot. */
    @Override
    public Optional<String> nameError(String name) {
        return Names.pathSegmentError(name);
    }

    @Override
    public void validate(ObjectNode object, FieldErrors errors) {
        JsonNode spec = object.path("spec");
        String group = spec.path("group").asText("");
        String version = spec.path("version").asText("");
        String name = Metadata.of(object).name();
        String required = version + "." + group;
        if (!name.equals(required)) {
            errors.invalid("metadata.name", name, "must be `spec.version+\".\"+spec.group`: \"" + required + "\"");
        }
        if (group.isEmpty() && !version.equals("v1")) {
            errors.required("spec.group", "only v1 may have an empty group and it better be legacy kube");
        }
        if (!group.isEmpty()) {
            Names.subdomainError(group).ifPresent(error -> errors.invalid("spec.group", group, error));
        }
        Names.label1035Error(version).ifPresent(error -> errors.invalid("spec.version", version, error));
        priority(spec, "groupPriorityMinimum", MAX_GROUP_PRIORITY, errors);
        priority(spec, "versionPriority", MAX_VERSION_PRIORITY, errors);
        where(spec, errors);
    }

    private static void priority(JsonNode spec, String field, int max, FieldErrors errors) {
        int value = spec.path(field).asInt();
        if (value <= 0 || value > max) {
            errors.invalid("spec." + field, value, "must be positive and less than " + max);
        }
    }

    private static void where(JsonNode spec, FieldErrors errors) {
        String bundle = spec.path("caBundle").asText("");
        boolean insecure = spec.path("insecureSkipTLSVerify").asBoolean();
        if (!spec.path("service").isObject()) {
            if (!bundle.isEmpty()) {
                errors.invalid(
                        "spec.caBundle",
                        bundle.length() * 3 / 4 + " bytes",
                        "local APIServices may not have a caBundle");
            }
            if (insecure) {
                errors.invalid(
                        "spec.insecureSkipTLSVerify", true, "local APIServices may not have insecureSkipTLSVerify");
            }
            return;
        }
        for (String field : List.of("namespace", "name")) {
            if (spec.path("service").path(field).asText("").isEmpty()) {
                errors.required("spec.service." + field, "");
            }
        }
        if (insecure && !bundle.isEmpty()) {
            errors.invalid("spec.insecureSkipTLSVerify", true, "may not be true if caBundle is present");
        }
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode before, String subresource, FieldErrors errors) {
        if (!subresource.equals("status")) {
            return;
        }
        JsonNode conditions = object.path("status").path("conditions");
        for (int i = 0; i < conditions.size(); i++) {
            String status = conditions.get(i).path("status").asText("");
            if (!List.of("True", "False", "Unknown").contains(status)) {
                errors.notSupported("status.conditions[" + i + "].status", status, List.of("True", "False", "Unknown"));
            }
        }
    }
}
