package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;
import static io.argosy.server.kinds.Trees.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.podspec.PodAnnotations;
import io.argosy.server.podspec.PodSpecRules;
import io.argosy.server.registry.Strategy;
import io.argosy.server.validation.Difference;
import io.argosy.server.validation.Spot;
import io.argosy.server.warnings.ObjectWarnings;
import io.argosy.server.warnings.PodWarnings;
import io.argosy.server.warnings.Remarks;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

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
        PodAnnotations.settleAppArmor(pod);
    }

    @Override
    public boolean hasGeneration() {
        return true;
    }

    /** Two parts of the spec have doors of their own, for people who may change nothing else. */
    @Override
    public void confine(ObjectNode pod, ObjectNode before, String subresource) {
        switch (subresource) {
            case "ephemeralcontainers" -> DebugContainers.confine(pod, before);
            case "resize" -> PodResize.confine(pod, before);
            default -> {}
        }
    }

    static void keepMetadata(ObjectNode pod, ObjectNode before) {
        ObjectNode metadata = child(pod, "metadata");
        for (String field : List.of("labels", "annotations", "finalizers", "ownerReferences")) {
            JsonNode kept = before.path("metadata").get(field);
            if (kept == null) {
                metadata.remove(field);
            } else {
                metadata.set(field, kept.deepCopy());
            }
        }
    }

    /** Whether the pod is but the picture of one that its node was told of by a file. */
    static boolean isMirror(ObjectNode pod) {
        return pod.path("metadata").path("annotations").has("kubernetes.io/config.mirror");
    }

    @Override
    public void prepareForUpdate(ObjectNode pod, ObjectNode before, String subresource) {
        if (subresource.equals("status")) {
            PodReports.keep(child(pod, "status"), before.path("status"));
        }
    }

    @Override
    public void remark(ObjectNode pod, Consumer<String> warnings) {
        for (String annotation : PodAnnotations.unsettledAppArmor(pod)) {
            warnings.accept("metadata.annotations[" + annotation
                    + "]: deprecated since v1.30; use the \"appArmorProfile\" field instead");
        }
    }

    /** Later changes are mostly made by machines. */
    @Override
    public void warn(ObjectNode pod, ObjectNode before, String subresource, Consumer<String> warnings) {
        if (before == null) {
            PodWarnings.ofPod(pod, new Remarks(warnings));
        } else if (subresource.equals("status")) {
            ObjectWarnings.podAddresses(pod, before, new Remarks(warnings));
        }
    }

    @Override
    public void validateCreate(ObjectNode pod, FieldErrors errors) {
        Spot spec = new Spot(pod.path("spec"), "spec", errors);
        PodSpecRules.check(spec.value(), spec.path(), errors);
        PodAnnotations.check(annotations(pod, errors), spec);
        if (!spec.at("ephemeralContainers").value().isEmpty()) {
            spec.at("ephemeralContainers").forbidden("cannot be set on create");
        }
        if (!spec.text("nodeName").isEmpty()
                && !spec.at("schedulingGates").value().isEmpty()) {
            spec.at("nodeName").forbidden("cannot be set until all schedulingGates have been cleared");
        }
    }

    private static Spot annotations(ObjectNode pod, FieldErrors errors) {
        return new Spot(pod.path("metadata").path("annotations"), "metadata.annotations", errors);
    }

    /** A spec that stays as it is needs no look, and was good by the rules of its day. */
    @Override
    public void validateUpdate(ObjectNode pod, ObjectNode before, String subresource, FieldErrors errors) {
        switch (subresource) {
            case "status" -> PodStatusRules.check(new Spot(pod, "", errors), before);
            case "ephemeralcontainers" -> DebugContainers.check(pod, before, errors);
            case "resize" -> PodResize.check(pod, before, errors);
            default -> {}
        }
        PodAnnotations.change(
                annotations(pod, errors),
                new Spot(pod.path("spec"), "spec", errors),
                before.path("metadata").path("annotations"));
        if (pod.path("spec").equals(before.path("spec"))) {
            return;
        }
        PodSpecRules.check(pod.path("spec"), "spec", errors);
        if (subresource.isEmpty() || subresource.equals("binding")) {
            changes(pod, before, subresource, errors);
        }
    }

    private static void changes(ObjectNode pod, ObjectNode before, String subresource, FieldErrors errors) {
        for (String list : List.of("containers", "initContainers")) {
            if (pod.path("spec").path(list).size()
                    != before.path("spec").path(list).size()) {
                errors.forbidden("spec." + list, "pod updates may not add or remove containers");
                return;
            }
        }
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
        ObjectNode was = fixed(before, before, subresource);
        ObjectNode now = fixed(pod, before, subresource);
        if (!now.equals(was)) {
            errors.forbidden(
                    "spec",
                    "pod updates may not change fields other than"
                            + " `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations`"
                            + " (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to"
                            + " be set to 1 if it was previously negative)\n"
                            + Difference.of(was, now));
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

    /** The spec without what may change: images, deadline, tolerations, gates; and what binding changes. */
    private static ObjectNode fixed(ObjectNode pod, ObjectNode before, String subresource) {
        ObjectNode spec = pod.path("spec").deepCopy();
        spec.remove(List.of("activeDeadlineSeconds", "tolerations", "schedulingGates"));
        UnsaidFlags.drop(spec);
        if (subresource.equals("binding")) {
            spec.remove("nodeName");
        }
        for (String list : List.of("containers", "initContainers")) {
            objects(spec, list).forEach(container -> container.remove("image"));
        }
        if (PodScheduling.isGated(before)) {
            PodScheduling.removeNarrowable(spec);
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
