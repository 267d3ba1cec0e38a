package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;
import static io.argosy.server.kinds.Trees.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.podspec.PodSpecRules;
import io.argosy.server.registry.Strategy;
import java.util.List;
import java.util.Set;

/** Pods: begin Pending, end gracefully, and hardly change in between. */
final class PodStrategy implements Strategy {
    private static final Set<String> FINISHED = Set.of("Succeeded", "Failed");

    @Override
    public void applyDefaults(ObjectNode pod) {
        PodDefaults.pod(pod);
    }

    @Override
    public void prepareForCreate(ObjectNode pod) {
        pod.putObject("status").put("phase", "Pending").put("qosClass", QualityOfService.of(pod.path("spec")));
        PodScheduling.prepareForCreate(pod);
    }

    @Override
    public boolean hasGeneration() {
        return true;
    }

    @Override
    public void prepareForUpdate(ObjectNode pod, ObjectNode before, String subresource) {
        if (subresource.equals("ephemeralcontainers")) {
            ObjectNode spec = before.path("spec").deepCopy();
            spec.set("ephemeralContainers", pod.path("spec").path("ephemeralContainers"));
            pod.set("spec", spec);
        }
        ObjectNode status = child(pod, "status");
        JsonNode quality = before.path("status").path("qosClass");
        if (!quality.isMissingNode()) {
            status.set("qosClass", quality);
        }
    }

    @Override
    public void validateCreate(ObjectNode pod, FieldErrors errors) {
        PodSpecRules.check(pod.path("spec"), "spec", errors);
        if (!pod.path("spec").path("ephemeralContainers").isEmpty()) {
            errors.forbidden("spec.ephemeralContainers", "cannot be set on create");
        }
    }

    /** A spec that stays as it is needs no look, and was good by the rules of its day. */
    @Override
    public void validateUpdate(ObjectNode pod, ObjectNode before, String subresource, FieldErrors errors) {
        if (pod.path("spec").equals(before.path("spec"))) {
            return;
        }
        PodSpecRules.check(pod.path("spec"), "spec", errors);
        PodScheduling.validateUpdate(pod, before, errors);
        JsonNode tolerations = pod.path("spec").path("tolerations");
        for (JsonNode toleration : before.path("spec").path("tolerations")) {
            if (!contains(tolerations, toleration)) {
                errors.forbidden(
                        "spec.tolerations", "existing toleration can not be modified except its tolerationSeconds");
                break;
            }
        }
        long deadline = pod.path("spec").path("activeDeadlineSeconds").asLong(Long.MAX_VALUE);
        long deadlineBefore = before.path("spec").path("activeDeadlineSeconds").asLong(Long.MAX_VALUE);
        if (deadline > deadlineBefore) {
            errors.invalid(
                    "spec.activeDeadlineSeconds",
                    deadline == Long.MAX_VALUE ? null : deadline,
                    deadline == Long.MAX_VALUE
                            ? "must not update from a positive integer to nil value"
                            : "must be less than or equal to previous value");
        }
        if (!fixed(pod, subresource).equals(fixed(before, subresource))) {
            errors.forbidden(
                    "spec",
                    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
                            + "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
                            + "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)");
        }
    }

    private static boolean contains(JsonNode tolerations, JsonNode wanted) {
        for (JsonNode toleration : tolerations) {
            if (withoutSeconds(toleration).equals(withoutSeconds(wanted))) {
                return true;
            }
        }
        return false;
    }

    private static JsonNode withoutSeconds(JsonNode toleration) {
        ObjectNode plain = toleration.deepCopy();
        plain.remove("tolerationSeconds");
        return plain;
    }

    /** The spec without what may change: images, deadline, tolerations; and what binding, debugging or resizing change. */
    private static ObjectNode fixed(ObjectNode pod, String subresource) {
        ObjectNode spec = pod.path("spec").deepCopy();
        spec.remove(List.of("activeDeadlineSeconds", "tolerations", "schedulingGates"));
        switch (subresource) {
            case "binding" -> spec.remove("nodeName");
            case "ephemeralcontainers" -> spec.remove("ephemeralContainers");
            default -> {}
        }
        for (String list : List.of("containers", "initContainers")) {
            for (ObjectNode container : objects(spec, list)) {
                container.remove("image");
                if (subresource.equals("resize")) {
                    container.remove("resources");
                }
            }
        }
        if (spec.path("terminationGracePeriodSeconds").asLong() < 0) {
            spec.put("terminationGracePeriodSeconds", 1);
        }
        return spec;
    }

    /** A pod on a node is given time to end; one that never ran, or has ended, is not. */
    @Override
    public long gracePeriodSeconds(ObjectNode pod, Long requested) {
        if (pod.path("spec").path("nodeName").asText().isEmpty()
                || FINISHED.contains(pod.path("status").path("phase").asText())) {
            return 0;
        }
        long period = requested != null
                ? requested
                : pod.path("metadata").has("deletionGracePeriodSeconds")
                        ? pod.path("metadata").get("deletionGracePeriodSeconds").asLong()
                        : pod.path("spec").path("terminationGracePeriodSeconds").asLong(30);
        return period < 0 ? 1 : period;
    }
}
