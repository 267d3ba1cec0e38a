package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.names.Names;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Strategy;
import io.argosy.server.rules.ReplicaCounts;
import io.argosy.server.rules.WorkloadRules;
import io.argosy.server.validation.Spot;
import io.argosy.server.warnings.PodWarnings;
import io.argosy.server.warnings.Remarks;
import io.argosy.server.warnings.StorageWarnings;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
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

    /** The kinds whose pods are named after them, with something else behind. */
    private static final Set<String> NAMING = Set.of("deployment", "replicaset", "replicationcontroller");

    private static final String TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

    private final String kind;
    private final Consumer<ObjectNode> specDefaults;
    private final BiConsumer<Spot, JsonNode> specRules;
    private final BiConsumer<Spot, JsonNode> statusRules;

    /** The rules are given the spec or status, and that of the object as it is; missing for a new one. */
    private WorkloadStrategy(
            String kind,
            Consumer<ObjectNode> specDefaults,
            BiConsumer<Spot, JsonNode> specRules,
            BiConsumer<Spot, JsonNode> statusRules) {
        this.kind = kind;
        this.specDefaults = specDefaults;
        this.specRules = specRules;
        this.statusRules = statusRules;
    }

    static Strategy deployment() {
        return new WorkloadStrategy(
                "deployment",
                WorkloadDefaults::deployment,
                (spec, before) -> WorkloadRules.deployment(spec),
                ReplicaCounts::deployment);
    }

    static Strategy replicaSet() {
        return new WorkloadStrategy(
                "replicaset",
                WorkloadDefaults::replicas,
                (spec, before) -> WorkloadRules.replicaSet(spec),
                (status, before) -> ReplicaCounts.replicaSet(status));
    }

    static Strategy statefulSet() {
        return new WorkloadStrategy(
                "statefulset", WorkloadDefaults::statefulSet, WorkloadRules::statefulSet, ReplicaCounts::statefulSet);
    }

    static Strategy daemonSet() {
        return new WorkloadStrategy(
                "daemonset",
                WorkloadDefaults::daemonSet,
                (spec, before) -> WorkloadRules.daemonSet(spec),
                ReplicaCounts::daemonSet);
    }

    /** Its selector is a plain map, and follows the template's labels where it is left out. */
    static Strategy replicationController() {
        return new WorkloadStrategy(
                "replicationcontroller",
                WorkloadDefaults::replicationController,
                (spec, before) -> WorkloadRules.replicationController(spec),
                (status, before) -> ReplicaCounts.replicaSet(status));
    }

    /** The name of a stateful set is part of the host names of its pods. */
    @Override
    public Optional<String> nameError(String name) {
        return kind.equals("statefulset") ? Names.labelError(name) : Names.subdomainError(name);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        ObjectNode spec = child(object, "spec");
        specDefaults.accept(spec);
        PodDefaults.template(child(spec, "template"));
        if (kind.equals("replicationcontroller")) {
            WorkloadDefaults.labels(object);
        }
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        if (kind.equals("daemonset")) {
            count(object, 1);
        }
    }

    /** How often the template of a daemon set has changed stands among its annotations since it is no field any more. */
    @Override
    public void prepareForUpdate(ObjectNode object, ObjectNode before, String subresource) {
        if (kind.equals("daemonset") && subresource.isEmpty()) {
            JsonNode counted = before.path("metadata").path("annotations").path(TEMPLATE_GENERATION);
            boolean same = object.path("spec")
                    .path("template")
                    .equals(before.path("spec").path("template"));
            count(object, counted.asLong(1) + (same ? 0 : 1));
        }
    }

    private static void count(ObjectNode object, long generation) {
        child(child(object, "metadata"), "annotations").put(TEMPLATE_GENERATION, Long.toString(generation));
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
    public void warn(ObjectNode object, ObjectNode before, String subresource, Consumer<String> warnings) {
        if (subresource.equals("status")) {
            return;
        }
        Remarks remarks = new Remarks(warnings);
        if (before == null && NAMING.contains(kind)) {
            PodWarnings.name(object, "Pod names and hostnames", remarks);
        }
        if (isNewGeneration(object, before)) {
            PodWarnings.ofTemplate(object.path("spec").path("template"), "spec.template", remarks);
        }
        if (kind.equals("statefulset")) {
            Spot spec = remarks.at(object.path("spec"), "spec");
            spec.each("volumeClaimTemplates").forEach(claim -> StorageWarnings.claimSpec(claim.at("spec"), remarks));
            if (spec.at("revisionHistoryLimit").number() < 0) {
                remarks.of(
                        spec.at("revisionHistoryLimit"),
                        "a negative value retains all historical revisions; a value >= 0 is recommended");
            }
        }
    }

    /** Whether anything in the spec is new. */
    static boolean isNewGeneration(ObjectNode object, ObjectNode before) {
        return before == null
                || !object.path("metadata")
                        .path("generation")
                        .equals(before.path("metadata").path("generation"));
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        specRules.accept(new Spot(object.path("spec"), "spec", errors), MissingNode.getInstance());
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode before, String subresource, FieldErrors errors) {
        if (subresource.equals("status")) {
            statusRules.accept(new Spot(object.path("status"), "status", errors), before.path("status"));
            return;
        }
        specRules.accept(new Spot(object.path("spec"), "spec", errors), before.path("spec"));
        if (kind.equals("statefulset")) {
            ObjectNode now = object.path("spec").deepCopy();
            ObjectNode was = before.path("spec").deepCopy();
            if (!now.remove(CHANGEABLE).equals(was.remove(CHANGEABLE))) {
                errors.forbidden(
                        "spec",
                        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template',"
                                + " 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and"
                                + " 'minReadySeconds' are forbidden");
            }
            return;
        }
        JsonNode selector = object.path("spec").path("selector");
        boolean mayChange = kind.equals("replicationcontroller");
        if (!mayChange && !selector.equals(before.path("spec").path("selector"))) {
            errors.invalid("spec.selector", selector, "field is immutable");
        }
    }
}
