package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;
import static io.argosy.server.kinds.Trees.setDefault;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Strategy;
import io.argosy.server.rules.JobRules;
import io.argosy.server.rules.TimetableRules;
import io.argosy.server.validation.Spot;
import io.argosy.server.warnings.PodWarnings;
import io.argosy.server.warnings.Remarks;
import java.util.List;
import java.util.function.Consumer;

/** Jobs on a timetable. */
final class CronJobStrategy implements Strategy {
    private static final int LONGEST_NAME = 52;

    @Override
    public void applyDefaults(ObjectNode cronJob) {
        ObjectNode spec = child(cronJob, "spec");
        setDefault(spec, "concurrencyPolicy", "Allow");
        setDefault(spec, "suspend", false);
        setDefault(spec, "successfulJobsHistoryLimit", 3);
        setDefault(spec, "failedJobsHistoryLimit", 1);
        JobStrategy.templates(child(child(spec, "jobTemplate"), "spec"));
    }

    @Override
    public boolean hasGeneration() {
        return true;
    }

    @Override
    public void warn(ObjectNode cronJob, ObjectNode before, String subresource, Consumer<String> warnings) {
        if (subresource.equals("status")) {
            return;
        }
        Remarks remarks = new Remarks(warnings);
        if (before == null) {
            PodWarnings.name(cronJob, "Pod names and hostnames", remarks);
        }
        if (WorkloadStrategy.isNewGeneration(cronJob, before)) {
            JobStrategy.warn(cronJob.at("/spec/jobTemplate/spec"), "spec.jobTemplate.spec", remarks);
        }
        if (before != null && cronJob.at("/spec/schedule").asText().contains("TZ")) {
            remarks.say("cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see"
                    + " https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details");
        }
    }

    /** The time at which a job is made stands behind its name. */
    @Override
    public void validateCreate(ObjectNode cronJob, FieldErrors errors) {
        validate(new Spot(cronJob, "", errors).at("spec"), MissingNode.getInstance());
        Spot name = new Spot(cronJob, "", errors).at("metadata").at("name");
        if (name.text().length() > LONGEST_NAME) {
            name.invalid("must be no more than " + LONGEST_NAME + " characters");
        }
    }

    @Override
    public void validateUpdate(ObjectNode cronJob, ObjectNode before, String subresource, FieldErrors errors) {
        if (!subresource.equals("status")) {
            validate(new Spot(cronJob, "", errors).at("spec"), before.path("spec"));
        }
    }

    private static void validate(Spot spec, JsonNode before) {
        TimetableRules.schedule(spec, before);
        spec.at("startingDeadlineSeconds").notNegative();
        TimetableRules.zone(spec, before);
        spec.at("concurrencyPolicy").neededOneOf(List.of("Allow", "Forbid", "Replace"));
        JobRules.template(spec.at("jobTemplate"));
        spec.at("successfulJobsHistoryLimit").notNegative();
        spec.at("failedJobsHistoryLimit").notNegative();
    }
}
