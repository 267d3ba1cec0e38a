package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.selector.LabelSelector;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Strategy;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** The kinds that make pods from a template and find them again by a selector. */
final class WorkloadStrategy implements Strategy {
    private final Consumer<ObjectNode> specDefaults;
    private final boolean selectorMayChange;

    private WorkloadStrategy(Consumer<ObjectNode> specDefaults, boolean selectorMayChange) {
        this.specDefaults = specDefaults;
        this.selectorMayChange = selectorMayChange;
    }

    static Strategy deployment() {
        return new WorkloadStrategy(WorkloadDefaults::deployment, false);
    }

    static Strategy replicaSet() {
        return new WorkloadStrategy(WorkloadDefaults::replicas, false);
    }

    static Strategy statefulSet() {
        return new WorkloadStrategy(WorkloadDefaults::statefulSet, false);
    }

    static Strategy daemonSet() {
        return new WorkloadStrategy(WorkloadDefaults::daemonSet, false);
    }

    /** Its selector is a plain map, and follows the template's labels where it is left out. */
    static Strategy replicationController() {
        return new WorkloadStrategy(WorkloadDefaults::replicationController, true);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        ObjectNode spec = child(object, "spec");
        specDefaults.accept(spec);
        PodDefaults.template(child(spec, "template"));
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        object.putObject("status");
    }

    @Override
    public boolean hasGeneration() {
        return true;
    }

    @Override
    public void validate(ObjectNode object, FieldErrors errors) {
        JsonNode spec = object.path("spec");
        if (spec.path("replicas").asLong() < 0) {
            errors.invalid("spec.replicas", spec.get("replicas").asLong(), "must be greater than or equal to 0");
        }
        selector(spec, errors);
        PodValidation.spec(spec.path("template").path("spec"), "spec.template.spec", errors);
        String restart =
                spec.path("template").path("spec").path("restartPolicy").asText();
        if (!restart.equals("Always")) {
            errors.notSupported("spec.template.spec.restartPolicy", restart, java.util.List.of("Always"));
        }
    }

    private void selector(JsonNode spec, FieldErrors errors) {
        JsonNode selector = spec.path("selector");
        JsonNode asObject = selectorMayChange ? Json.object().set("matchLabels", selector.deepCopy()) : selector;
        if (selector.isMissingNode()) {
            errors.required("spec.selector", "");
        } else if (asObject.path("matchLabels").isEmpty()
                && asObject.path("matchExpressions").isEmpty()) {
            errors.invalid("spec.selector", "{}", "empty selector is invalid for deployment");
        } else {
            Map<String, String> labels = new HashMap<>();
            JsonNode given = spec.path("template").path("metadata").path("labels");
            given.properties()
                    .forEach(
                            label -> labels.put(label.getKey(), label.getValue().asText()));
            if (!LabelSelector.of(asObject).matches(labels)) {
                errors.invalid("spec.template.metadata.labels", given, "`selector` does not match template `labels`");
            }
        }
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode before, FieldErrors errors) {
        JsonNode selector = object.path("spec").path("selector");
        if (!selectorMayChange && !selector.equals(before.path("spec").path("selector"))) {
            errors.invalid("spec.selector", selector, "field is immutable");
        }
    }
}
