package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.objects;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a pod says to the scheduler, as far as the server has a part in it: its gates, and the labels it is compared by. */
final class PodScheduling {
    private static final JsonPointer TERMS = JsonPointer.compile(
            "/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms");

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

    static boolean isGated(ObjectNode pod) {
        return !pod.path("spec").path("schedulingGates").isEmpty();
    }

    /** Leaves out what may change as long as a pod is gated, as far as {@link #narrowing} allows. */
    static void removeNarrowable(ObjectNode spec) {
        spec.remove("nodeSelector");
        if (spec.get("affinity") instanceof ObjectNode affinity) {
            affinity.remove("nodeAffinity");
            if (affinity.isEmpty()) {
                spec.remove("affinity");
            }
        }
    }

    /** The nodes on which a gated pod may run can become fewer, never other ones. */
    private static void narrowing(JsonNode spec, JsonNode was, FieldErrors errors) {
        JsonNode selector = spec.path("nodeSelector");
        boolean kept = was.path("nodeSelector").properties().stream()
                .allMatch(label -> label.getValue().equals(selector.get(label.getKey())));
        if (!kept) {
            errors.invalid(
                    "spec.nodeSelector",
                    selector.isMissingNode() ? "" : selector,
                    "only additions to spec.nodeSelector are allowed (no mutations or deletions)");
        }
        JsonNode now = spec.at(TERMS);
        JsonNode before = was.at(TERMS);
        String path = "spec" + TERMS.toString().replace('/', '.');
        if (!before.isEmpty() && before.size() != now.size()) {
            errors.invalid(
                    path,
                    now.isMissingNode() ? "" : now,
                    "no additions/deletions to non-empty NodeSelectorTerms list are allowed");
            return;
        }
        for (int i = 0; i < before.size(); i++) {
            if (!narrows(now.get(i), before.get(i))) {
                errors.invalid(
                        path + "[" + i + "]", now.get(i), "only additions are allowed (no mutations or deletions)");
            }
        }
    }

    /** A term that says nothing fits no node, and must stay so. */
    private static boolean narrows(JsonNode now, JsonNode was) {
        boolean nothing = was.path("matchExpressions").isEmpty()
                && was.path("matchFields").isEmpty();
        boolean something = !now.path("matchExpressions").isEmpty()
                || !now.path("matchFields").isEmpty();
        return !(nothing && something) && begins(now, was, "matchExpressions") && begins(now, was, "matchFields");
    }

    private static boolean begins(JsonNode now, JsonNode was, String list) {
        for (int i = 0; i < was.path(list).size(); i++) {
            if (!was.path(list).get(i).equals(now.path(list).get(i))) {
                return false;
            }
        }
        return true;
    }

    /** Gates can be taken away, one by one; none can be added to a pod that is there. */
    static void validateUpdate(ObjectNode pod, ObjectNode before, FieldErrors errors) {
        if (isGated(before)) {
            narrowing(pod.path("spec"), before.path("spec"), errors);
        }
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
