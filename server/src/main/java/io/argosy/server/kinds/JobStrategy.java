package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;
import static io.argosy.server.kinds.Trees.setDefault;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.podspec.PodSpecRules;
import io.argosy.server.registry.Strategy;
import java.util.List;

/** Jobs: they select their pods by their own uid, so that no two ever meet. */
final class JobStrategy implements Strategy {
    @Override
    public void applyDefaults(ObjectNode job) {
        spec(child(job, "spec"));
    }

    static void spec(ObjectNode spec) {
        if (!spec.has("completions") && !spec.has("parallelism")) {
            spec.put("completions", 1).put("parallelism", 1);
        }
        setDefault(spec, "parallelism", 1);
        setDefault(spec, "completionMode", "NonIndexed");
        setDefault(spec, "suspend", false);
        setDefault(spec, "backoffLimit", spec.has("backoffLimitPerIndex") ? Integer.MAX_VALUE : 6);
        setDefault(spec, "podReplacementPolicy", spec.has("podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
        setDefault(spec, "manualSelector", false);
        PodDefaults.template(child(spec, "template"));
    }

    @Override
    public void prepareForCreate(ObjectNode job) {
        job.putObject("status");
        ObjectNode spec = child(job, "spec");
        if (spec.path("manualSelector").asBoolean()) {
            return;
        }
        String uid = job.path("metadata").path("uid").asText();
        String name = job.path("metadata").path("name").asText();
        ObjectNode labels = child(child(child(spec, "template"), "metadata"), "labels");
        labels.put("controller-uid", uid)
                .put("batch.kubernetes.io/controller-uid", uid)
                .put("job-name", name)
                .put("batch.kubernetes.io/job-name", name);
        child(child(spec, "selector"), "matchLabels").put("batch.kubernetes.io/controller-uid", uid);
    }

    @Override
    public boolean hasGeneration() {
        return true;
    }

    @Override
    public void validate(ObjectNode job, FieldErrors errors) {
        spec(job.path("spec"), "spec", errors);
    }

    static void spec(JsonNode spec, String path, FieldErrors errors) {
        for (String field : List.of("parallelism", "completions", "backoffLimit", "activeDeadlineSeconds")) {
            if (spec.path(field).asLong() < 0) {
                errors.invalid(path + "." + field, spec.get(field).asLong(), "must be greater than or equal to 0");
            }
        }
        PodSpecRules.check(spec.path("template").path("spec"), path + ".template.spec", errors);
        String restart =
                spec.path("template").path("spec").path("restartPolicy").asText();
        if (restart.equals("Always")) {
            errors.notSupported(path + ".template.spec.restartPolicy", restart, List.of("OnFailure", "Never"));
        }
    }

    @Override
    public void validateUpdate(ObjectNode job, ObjectNode before, String subresource, FieldErrors errors) {
        boolean suspended = before.path("spec").path("suspend").asBoolean();
        for (String field : List.of("selector", "completionMode", "template")) {
            if (suspended && field.equals("template")) {
                continue;
            }
            JsonNode now = job.path("spec").path(field);
            if (!now.equals(before.path("spec").path(field))) {
                errors.invalid("spec." + field, now, "field is immutable");
            }
        }
    }
}
