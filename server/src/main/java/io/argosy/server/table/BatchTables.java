package io.argosy.server.table;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Tables of work that ends. */
final class BatchTables {
    private BatchTables() {}

    static TableDefinition jobs() {
        TableBuilder<Row> table = TableBuilder.named()
                .text("Status", "How far the job is.", BatchTables::status)
                .text("Completions", "How many pods have succeeded, of those wanted.", BatchTables::completions)
                .text("Duration", "How long the job took, or has been running.", BatchTables::duration)
                .age();
        return WorkloadTables.containers(table, "spec", "template", "spec", "containers")
                .wide("Selector", "Which pods belong to it.", row -> SelectorText.selector(row.at("spec", "selector")))
                .build();
    }

    private static String status(Row job) {
        if (job.conditionIsTrue("Complete")) {
            return "Complete";
        }
        if (job.conditionIsTrue("Failed")) {
            return "Failed";
        }
        if (job.deleting()) {
            return "Terminating";
        }
        for (String condition : List.of("Suspended", "FailureTarget", "SuccessCriteriaMet")) {
            if (job.conditionIsTrue(condition)) {
                return condition;
            }
        }
        return "Running";
    }

    private static String completions(Row job) {
        long succeeded = job.number("status", "succeeded");
        if (job.has("spec", "completions")) {
            return succeeded + "/" + job.number("spec", "completions");
        }
        long parallelism = job.number("spec", "parallelism");
        return succeeded + "/1" + (parallelism > 1 ? " of " + parallelism : "");
    }

    private static String duration(Row job) {
        Optional<Instant> start = Row.instant(job.at("status", "startTime"));
        if (start.isEmpty()) {
            return "";
        }
        Instant end = Row.instant(job.at("status", "completionTime")).orElse(job.now());
        return HumanDuration.of(Duration.between(start.get(), end));
    }

    static TableDefinition cronJobs() {
        Column suspend = new Column("Suspend", "boolean", "", "Whether no further jobs are started.", 0);
        TableBuilder<Row> table = TableBuilder.named()
                .text(
                        "Schedule",
                        "When jobs are started, in the notation of cron.",
                        row -> row.text("spec", "schedule"))
                .text("Timezone", "The time zone of the schedule.", row -> row.textOr(Row.NONE, "spec", "timeZone"))
                .add(suspend, TableBuilder.text(BatchTables::suspended))
                .number("Active", "How many of its jobs are running.", row -> row.count("status", "active"))
                .text("Last Schedule", "How long ago a job was last due and started.", BatchTables::lastSchedule)
                .age();
        return WorkloadTables.containers(table, "spec", "jobTemplate", "spec", "template", "spec", "containers")
                .wide(
                        "Selector",
                        "Which pods belong to its jobs.",
                        row -> SelectorText.selector(row.at("spec", "jobTemplate", "spec", "selector")))
                .build();
    }

    private static String suspended(Row cronJob) {
        if (!cronJob.has("spec", "suspend")) {
            return Row.UNSET;
        }
        return cronJob.flag("spec", "suspend") ? "True" : "False";
    }

    private static String lastSchedule(Row cronJob) {
        return cronJob.has("status", "lastScheduleTime")
                ? cronJob.since(cronJob.at("status", "lastScheduleTime"))
                : Row.NONE;
    }
}
