package io.argosy.server.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.selector.LabelSelector;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.podspec.ClaimRules;
import io.argosy.server.podspec.PodTemplateRules;
import io.argosy.server.podspec.Selectors;
import io.argosy.server.validation.Spot;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the specs of those that make pods from a template must say. */
public final class WorkloadRules {
    private WorkloadRules() {}

    public static void deployment(Spot spec) {
        spec.at("replicas").notNegative();
        if (selector(spec, "deployment", "invalid label selector")) {
            template(spec, "ReplicaSet");
        }
        RolloutRules.deployment(spec.at("strategy"));
        spec.at("minReadySeconds").notNegative();
        spec.at("revisionHistoryLimit").notNegative();
        Spot deadline = spec.at("progressDeadlineSeconds");
        deadline.notNegative();
        if (deadline.isGiven()
                && deadline.number() <= spec.at("minReadySeconds").number()) {
            deadline.invalid("must be greater than minReadySeconds");
        }
    }

    public static void replicaSet(Spot spec) {
        spec.at("replicas").notNegative();
        spec.at("minReadySeconds").notNegative();
        if (selector(spec, "deployment", "invalid label selector")) {
            template(spec, "ReplicaSet");
        }
    }

    public static void daemonSet(Spot spec) {
        Spot selector = spec.at("selector");
        if (Selectors.isGood(selector)) {
            matching(spec, selector.value());
        }
        if (selector.isGiven() && isEmpty(selector.value())) {
            selector.invalid("empty selector is invalid for daemonset");
        }
        template(spec, "DaemonSet");
        spec.at("minReadySeconds").notNegative();
        RolloutRules.daemonSet(spec.at("updateStrategy"));
        spec.at("revisionHistoryLimit").notNegative();
    }

    /** Its selector is a plain map. */
    public static void replicationController(Spot spec) {
        spec.at("minReadySeconds").notNegative();
        Spot selector = spec.at("selector");
        if (selector.value().isEmpty()) {
            selector.required();
        } else {
            matching(spec, Json.object().set("matchLabels", selector.value()));
        }
        spec.at("replicas").notNegative();
        template(spec, "ReplicationController");
    }

    /**
     * Checks the spec of a stateful set.
     *
     * @param before the spec as it is, of which what cannot change may stay as it was taken once; missing for a new set
     */
    public static void statefulSet(Spot spec, JsonNode before) {
        boolean isNew = before.isMissingNode();
        Spot management = spec.at("podManagementPolicy");
        if (!List.of("OrderedReady", "Parallel").contains(management.text())) {
            management.invalid("must be 'OrderedReady' or 'Parallel'");
        }
        RolloutRules.statefulSet(spec.at("updateStrategy"));
        for (String when : List.of("whenDeleted", "whenScaled")) {
            spec.at("persistentVolumeClaimRetentionPolicy").at(when).oneOf(List.of("Retain", "Delete"));
        }
        if (isNew) {
            spec.each("volumeClaimTemplates").forEach(claim -> ClaimRules.spec(claim.at("spec")));
        }
        spec.at("replicas").notNegative();
        spec.at("minReadySeconds").notNegative();
        spec.at("ordinals").at("start").notNegative();
        if (isNew && !spec.text("serviceName").isEmpty()) {
            spec.at("serviceName").label();
        }
        if (selector(spec, "statefulset", "") && (isNew || isGoodSet(before))) {
            named(spec);
        }
        always(spec, "StatefulSet");
    }

    private static boolean isGoodSet(JsonNode spec) {
        FieldErrors errors = new FieldErrors();
        named(new Spot(spec, "spec", errors));
        return errors.isEmpty();
    }

    /** The pods are given their names, their domain and the volumes of their claims later. */
    private static void named(Spot spec) {
        Set<String> claimed = new HashSet<>();
        spec.each("volumeClaimTemplates")
                .forEach(claim -> claimed.add(claim.at("metadata").text("name")));
        JsonNode given = spec.value().path("template");
        ObjectNode template = given.isObject() ? given.deepCopy() : Json.object();
        template.withObject("/spec").remove(List.of("hostname", "subdomain"));
        PodTemplateRules.check(new Spot(template, spec.path() + ".template", spec.errors()), claimed);
    }

    private static void template(Spot spec, String kind) {
        PodTemplateRules.check(spec.at("template"));
        always(spec, kind);
    }

    private static void always(Spot spec, String kind) {
        Spot pod = spec.at("template").at("spec");
        Spot restart = pod.at("restartPolicy");
        if (!restart.text().equals("Always")) {
            restart.errors().notSupported(restart.path(), restart.text(), List.of("Always"));
        }
        if (pod.has("activeDeadlineSeconds")) {
            pod.at("activeDeadlineSeconds").forbidden("activeDeadlineSeconds in " + kind + " is not Supported");
        }
    }

    /** Whether the selector can be read, so that it makes sense to look further. */
    private static boolean selector(Spot spec, String kind, String unreadable) {
        Spot selector = spec.at("selector");
        if (!selector.isGiven()) {
            selector.required();
        } else if (isEmpty(selector.value())) {
            selector.invalid("empty selector is invalid for " + kind);
            return true;
        } else if (!Selectors.isGood(selector)) {
            selector.invalid(unreadable);
            return false;
        }
        matching(spec, selector.value());
        return true;
    }

    private static boolean isEmpty(JsonNode selector) {
        return selector.path("matchLabels").isEmpty()
                && selector.path("matchExpressions").isEmpty();
    }

    /** Pods that their own maker does not find would be made for ever. Who selects nothing finds none. */
    static void matching(Spot spec, JsonNode selector) {
        Spot given = spec.at("template").at("metadata").at("labels");
        Map<String, String> labels = new HashMap<>();
        given.value()
                .properties()
                .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
        if (!selector.isObject() || !LabelSelector.of(selector).matches(labels)) {
            given.invalid(given.isGiven() ? given.value() : null, "`selector` does not match template `labels`");
        }
    }
}
