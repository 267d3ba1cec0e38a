package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.selector.LabelSelector;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.podspec.PodSpecRules;
import io.argosy.server.registry.Strategy;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** The kinds that make pods from a template and find them again by a selector. */
final class WorkloadStrategy implements Strategy {
    /** The fields of a StatefulSet's spec that may change. */
    private static final List<String> CHANGEABLE = List.of(
            "replicas",
            "ordinals",
            "template",
            "updateStrategy",
            "revisionHistoryLimit",
            "persistentVolumeClaimRetentionPolicy",
            "minReadySeconds");

    private final String kind;
    private final Consumer<ObjectNode> specDefaults;
    private final boolean selectorMayChange;

    private WorkloadStrategy(String kind, Consumer<ObjectNode> specDefaults, boolean selectorMayChange) {
        this.kind = kind;
        this.specDefaults = specDefaults;
        this.selectorMayChange = selectorMayChange;
    }

    static Strategy deployment() {
        return new WorkloadStrategy("deployment", WorkloadDefaults::deployment, false);
    }

    static Strategy replicaSet() {
        return new WorkloadStrategy("replicaset", WorkloadDefaults::replicas, false);
    }

    static Strategy statefulSet() {
        return new WorkloadStrategy("statefulset", WorkloadDefaults::statefulSet, false);
    }

    static Strategy daemonSet() {
        return new WorkloadStrategy("daemonset", WorkloadDefaults::daemonSet, false);
    }

    /** Its selector is a plain map, and follows the template's labels where it is left out. */
    static Strategy replicationController() {
        return new WorkloadStrategy("replicationcontroller", WorkloadDefaults::replicationController, true);
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
    public boolean countsAnnotations() {
        return kind.equals("deployment");
    }

    @Override
    public void validate(ObjectNode object, FieldErrors errors) {
        JsonNode spec = object.path("spec");
        if (spec.path("replicas").asLong() < 0) {
            errors.invalid("spec.replicas", spec.get("replicas").asLong(), "must be greater than or equal to 0");
        }
        selector(spec, errors);
        Set<String> claimed = new HashSet<>();
        Trees.objects(spec, "volumeClaimTemplates")
                .forEach(
                        claim -> claimed.add(claim.path("metadata").path("name").asText()));
        PodSpecRules.check(spec.path("template").path("spec"), "spec.template.spec", claimed, errors);
        String restart =
                spec.path("template").path("spec").path("restartPolicy").asText();
        if (!restart.equals("Always")) {
            errors.notSupported("spec.template.spec.restartPolicy", restart, List.of("Always"));
        }
    }

    private void selector(JsonNode spec, FieldErrors errors) {
        JsonNode selector = spec.path("selector");
        JsonNode asObject = selectorMayChange ? Json.object().set("matchLabels", selector.deepCopy()) : selector;
        if (selector.isMissingNode()) {
            errors.required("spec.selector", "");
        } else if (asObject.path("matchLabels").isEmpty()
                && asObject.path("matchExpressions").isEmpty()) {
            errors.invalid("spec.selector", "{}", "empty selector is invalid for " + kind);
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
    public void validateUpdate(ObjectNode object, ObjectNode before, String subresource, FieldErrors errors) {
        if (kind.equals("statefulset")) {
            ObjectNode now = object.path("spec").deepCopy();
            ObjectNode was = before.path("spec").deepCopy();
            if (!now.remove(CHANGEABLE).equals(was.remove(CHANGEABLE))) {
                errors.forbidden(
                        "spec",
                        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy',"
                                + " 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are"
                                + " forbidden");
            }
            return;
        }
        JsonNode selector = object.path("spec").path("selector");
        if (!selectorMayChange && !selector.equals(before.path("spec").path("selector"))) {
            errors.invalid("spec.selector", selector, "field is immutable");
        }
    }
}
