package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a pod says to the scheduler, as far as the server has a part in it: its gates, and the labels it is compared by. */
final class PodScheduling {
    private PodScheduling() {}

    static void prepareForCreate(ObjectNode pod) {
        JsonNode labels = pod.path("metadata").path("labels");
        JsonNode affinity = pod.path("spec").path("affinity");
        for (String kind : List.of("podAffinity", "podAntiAffinity")) {
            for (JsonNode term : affinity.path(kind).path("requiredDuringSchedulingIgnoredDuringExecution")) {
                resolveLabelKeys(term, labels);
            }
            for (JsonNode wish : affinity.path(kind).path("preferredDuringSchedulingIgnoredDuringExecution")) {
                resolveLabelKeys(wish.path("podAffinityTerm"), labels);
            }
        }
        for (JsonNode constraint : pod.path("spec").path("topologySpreadConstraints")) {
            resolveLabelKeys(constraint, labels);
        }
        if (!pod.path("spec").path("schedulingGates").isEmpty()) {
            ((ObjectNode) pod.get("status"))
                    .putArray("conditions")
                    .addObject()
                    .put("type", "PodScheduled")
                    .put("status", "False")
                    .put("reason", "SchedulingGated")
                    .put("message", "Scheduling is blocked due to non-empty scheduling gates")
                    .put(
                            "lastTransitionTime",
                            pod.path("metadata").path("creationTimestamp").asText());
        }
    }

    /** Whoever reads the selector later need not know the pod's labels. */
    private static void resolveLabelKeys(JsonNode term, JsonNode labels) {
        if (term.get("labelSelector") instanceof ObjectNode selector) {
            resolve(selector, term.path("matchLabelKeys"), "In", labels);
            resolve(selector, term.path("mismatchLabelKeys"), "NotIn", labels);
        }
    }

    private static void resolve(ObjectNode selector, JsonNode keys, String operator, JsonNode labels) {
        for (JsonNode key : keys) {
            JsonNode value = labels.get(key.asText());
            if (value != null) {
                ArrayNode expressions = selector.get("matchExpressions") instanceof ArrayNode found
                        ? found
                        : selector.putArray("matchExpressions");
                expressions
                        .addObject()
                        .put("key", key.asText())
                        .put("operator", operator)
                        .putArray("values")
                        .add(value.asText());
            }
        }
    }

    /** Gates can be taken away, one by one; none can be added to a pod that is there. */
    static void validateUpdate(ObjectNode pod, ObjectNode before, FieldErrors errors) {
        Set<String> known = new HashSet<>();
        objects(before.path("spec"), "schedulingGates")
                .forEach(gate -> known.add(gate.path("name").asText()));
        int index = 0;
        for (JsonNode gate : pod.path("spec").path("schedulingGates")) {
            String name = gate.path("name").asText();
            if (!known.contains(name)) {
                errors.forbidden(
                        "spec.schedulingGates[" + index + "].name",
                        "only deletion is allowed, but found new scheduling gate '" + name + "'");
            }
            index++;
        }
    }
}
