package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;
import static io.argosy.server.kinds.Trees.setDefault;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Strategy;

/** Jobs on a timetable. */
final class CronJobStrategy implements Strategy {
    @Override
    public void applyDefaults(ObjectNode cronJob) {
        ObjectNode spec = child(cronJob, "spec");
        setDefault(spec, "concurrencyPolicy", "Allow");
        setDefault(spec, "suspend", false);
        setDefault(spec, "successfulJobsHistoryLimit", 3);
        setDefault(spec, "failedJobsHistoryLimit", 1);
        PodDefaults.template(child(child(child(spec, "jobTemplate"), "spec"), "template"));
    }

    @Override
    public boolean hasGeneration() {
        return true;
    }

    @Override
    public void validate(ObjectNode cronJob, FieldErrors errors) {
        if (cronJob.path("spec").path("schedule").asText().isEmpty()) {
            errors.required("spec.schedule", "");
        }
        JobStrategy.spec(cronJob.path("spec").path("jobTemplate").path("spec"), "spec.jobTemplate.spec", errors);
    }
}
