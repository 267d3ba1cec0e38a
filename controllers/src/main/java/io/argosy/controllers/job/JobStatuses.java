package io.argosy.controllers.job;

import io.argosy.controllers.meta.Timestamps;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import io.fabric8.kubernetes.api.model.batch.v1.JobStatus;
import io.fabric8.kubernetes.api.model.batch.v1.UncountedTerminatedPods;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The two statuses that a plan writes: one that names the pods about to be counted, and one that has counted them. */
final class JobStatuses {
    private JobStatuses() {}

    /** Before the finished pods are let go. {@code created} and {@code dropped} say what has been done by then. */
    static JobStatus counting(Job job, JobPlan plan, int created, int dropped) {
        JobPlan.Tally tally = plan.tally();
        JobStatus status = new JobStatus();
        status.setActive(orNull(tally.active() + created - dropped));
        status.setReady(Math.min(tally.ready(), tally.active() + created - dropped));
        status.setTerminating(tally.terminating() + dropped);
        status.setSucceeded(orNull(
                tally.completed() == null
                        ? tally.succeeded()
                        : tally.completed().size()));
        status.setFailed(orNull(tally.failed()));
        status.setCompletedIndexes(
                tally.completed() == null || tally.completed().size() == 0
                        ? null
                        : tally.completed().toString());
        status.setFailedIndexes(
                tally.failedIndexes() == null ? null : tally.failedIndexes().toString());
        status.setStartTime(plan.startTime());
        status.setUncountedTerminatedPods(new UncountedTerminatedPods(
                List.copyOf(tally.countingFailed()), List.copyOf(tally.countingSucceeded())));
        List<JobCondition> conditions = new ArrayList<>();
        if (job.getStatus() != null) {
            conditions.addAll(job.getStatus().getConditions());
        }
        put(conditions, plan.suspension());
        put(conditions, plan.finish());
        status.setConditions(conditions);
        return status;
    }

    /** Afterwards; the Job is finished when it was decided and none of its pods is still ending. */
    static JobStatus counted(JobStatus counting, JobPlan plan, boolean podsEnding, Instant now) {
        JobPlan.Tally tally = plan.tally();
        JobStatus status = new JobStatus();
        status.setActive(counting.getActive());
        status.setReady(counting.getReady());
        status.setTerminating(counting.getTerminating());
        status.setSucceeded(orNull(tally.allSucceeded()));
        status.setFailed(orNull(tally.allFailed()));
        status.setCompletedIndexes(counting.getCompletedIndexes());
        status.setFailedIndexes(counting.getFailedIndexes());
        status.setStartTime(counting.getStartTime());
        status.setUncountedTerminatedPods(new UncountedTerminatedPods());
        List<JobCondition> conditions = new ArrayList<>(counting.getConditions());
        if (plan.finish() != null && !podsEnding) {
            boolean success = plan.finish().getType().equals("SuccessCriteriaMet");
            String time = Timestamps.format(now);
            put(
                    conditions,
                    new JobCondition(
                            time,
                            time,
                            plan.finish().getMessage(),
                            plan.finish().getReason(),
                            "True",
                            success ? "Complete" : "Failed"));
            if (success) {
                status.setCompletionTime(time);
            }
        }
        status.setConditions(conditions);
        return status;
    }

    private static void put(List<JobCondition> conditions, JobCondition condition) {
        if (condition != null) {
            conditions.removeIf(old -> old.getType().equals(condition.getType()));
            conditions.add(condition);
        }
    }

    private static Integer orNull(int count) {
        return count == 0 ? null : count;
    }
}
