package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;
import static io.argosy.server.kinds.Trees.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
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
    }

    @Override
    public boolean hasGeneration() {
        return true;
    }

    @Override
    public void prepareForUpdate(ObjectNode pod, ObjectNode before) {
        ObjectNode status = child(pod, "status");
        JsonNode quality = before.path("status").path("qosClass");
        if (!quality.isMissingNode()) {
            status.set("qosClass", quality);
        }
    }

    @Override
    public void validate(ObjectNode pod, FieldErrors errors) {
        PodValidation.spec(pod.path("spec"), "spec", errors);
    }

    @Override
    public void validateUpdate(ObjectNode pod, ObjectNode before, FieldErrors errors) {
        if (!mutable(pod).equals(mutable(before))) {
            errors.forbidden(
                    "spec",
                    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
                            + "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
                            + "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)");
        }
    }

    /** The spec without what may change: images, deadline, tolerations; and what binding, debugging and resizing change. */
    private static ObjectNode mutable(ObjectNode pod) {
        ObjectNode spec = pod.path("spec").deepCopy();
        spec.remove(
                List.of("activeDeadlineSeconds", "tolerations", "nodeName", "ephemeralContainers", "schedulingGates"));
        for (String list : List.of("containers", "initContainers")) {
            for (ObjectNode container : objects(spec, list)) {
                container.remove(List.of("image", "resources"));
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
        return Math.max(period, requested != null ? 0 : 1);
    }
}
