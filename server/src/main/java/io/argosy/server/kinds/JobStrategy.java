package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;
import static io.argosy.server.kinds.Trees.setDefault;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Strategy;
import io.argosy.server.rules.JobRules;
import io.argosy.server.rules.JobStatusRules;
import io.argosy.server.validation.Spot;
import io.argosy.server.warnings.PodWarnings;
import io.argosy.server.warnings.Remarks;
import java.util.List;
import java.util.function.Consumer;

/** Jobs: they select their pods by their own uid, so that no two ever meet. */
final class JobStrategy implements Strategy {
    private static final int MANY_COMPLETIONS = 100_000;
    private static final int MANY_AT_ONCE = 10_000;

    @Override
    public void applyDefaults(ObjectNode job) {
        spec(child(job, "spec"));
    }

    private static void spec(ObjectNode spec) {
        if (!spec.has("completions") && !spec.has("parallelism")) {
            spec.put("completions", 1).put("parallelism", 1);
        }
        setDefault(spec, "parallelism", 1);
        setDefault(spec, "completionMode", "NonIndexed");
        setDefault(spec, "suspend", false);
        setDefault(spec, "backoffLimit", spec.has("backoffLimitPerIndex") ? Integer.MAX_VALUE : 6);
        setDefault(spec, "podReplacementPolicy", spec.has("podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
        setDefault(spec, "manualSelector", false);
        templates(spec);
    }

    /** What a timetable fills in already, too. */
    static void templates(ObjectNode spec) {
        for (ObjectNode rule : Trees.objects(spec.path("podFailurePolicy"), "rules")) {
            Trees.objects(rule, "onPodConditions").forEach(pattern -> setDefault(pattern, "status", "True"));
        }
        PodDefaults.template(child(spec, "template"));
    }

    @Override
    public void prepareForCreate(ObjectNode job) {
        ObjectNode spec = child(job, "spec");
        if (!spec.path("manualSelector").asBoolean()) {
            select(job, spec);
        }
        WorkloadDefaults.labels(job);
    }

    private static void select(ObjectNode job, ObjectNode spec) {
        String uid = job.path("metadata").path("uid").asText();
        String name = job.path("metadata").path("name").asText();
        ObjectNode labels = child(child(child(spec, "template"), "metadata"), "labels");
        for (String prefix :
                List.of("", "batch.kubernetes.io/")) { // what clients say here must be the same, which is checked later
            setDefault(labels, prefix + "controller-uid", uid);
            setDefault(labels, prefix + "job-name", name);
        }
        setDefault(child(child(spec, "selector"), "matchLabels"), "batch.kubernetes.io/controller-uid", uid);
    }

    @Override
    public boolean hasGeneration() {
        return true;
    }

    @Override
    public String orphaningWarning() {
        return "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove"
                + " them or set propagationPolicy=Orphan to suppress this warning";
    }

    @Override
    public void warn(ObjectNode job, ObjectNode before, String subresource, Consumer<String> warnings) {
        if (subresource.equals("status")) {
            return;
        }
        Remarks remarks = new Remarks(warnings);
        if (before == null) {
            PodWarnings.name(job, "Pod names and hostnames", remarks);
        }
        if (WorkloadStrategy.isNewGeneration(job, before)) {
            warn(job.path("spec"), "spec", remarks);
        }
    }

    /** Also of the jobs of a timetable. */
    static void warn(JsonNode spec, String path, Remarks remarks) {
        if (spec.path("completionMode").asText().equals("Indexed")
                && spec.path("completions").asInt() > MANY_COMPLETIONS
                && spec.path("parallelism").asInt() > MANY_AT_ONCE) {
            remarks.say(path
                    + ": In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than"
                    + " 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes"
                    + " fail");
        }
        PodWarnings.ofTemplate(spec.path("template"), path + ".template", remarks);
    }

    @Override
    public void validate(ObjectNode job, FieldErrors errors) {
        JobRules.check(new Spot(job, "", errors));
    }

    @Override
    public void validateUpdate(ObjectNode job, ObjectNode before, String subresource, FieldErrors errors) {
        if (subresource.equals("status")) {
            JobStatusRules.check(new Spot(job, "", errors), before);
        } else {
            JobRules.change(new Spot(job, "", errors), before);
        }
    }
}
