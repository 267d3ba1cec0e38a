package io.argosy.server.rules;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.server.validation.Spot;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What may be told of a job, whoever manages it: clients count on a job that has ended to stay so. Most rules are about what a write changes,
 * so that a status that was wrong before does not stop every later write.
 */
public final class JobStatusRules {
    private static final List<String> COUNTS = List.of("active", "succeeded", "failed", "ready", "terminating");
    private static final List<String> TERMINAL = List.of("Failed", "Complete", "FailureTarget");

    private final Spot job;
    private final Spot status;
    private final Spot conditions;
    private final JsonNode was;
    private final boolean complete;
    private final boolean failed;
    private final boolean finished;

    private JobStatusRules(Spot job, JsonNode before) {
        this.job = job;
        this.status = job.at("status");
        this.conditions = status.at("conditions");
        this.was = before.path("status");
        this.complete = is("Complete");
        this.failed = is("Failed");
        this.finished = complete || failed;
    }

    public static void check(Spot job, JsonNode before) {
        JobStatusRules rules = new JobStatusRules(job, before);
        for (String count : COUNTS) {
            rules.status.at(count).notNegative();
        }
        rules.uncounted();
        rules.conditions();
        rules.times();
        rules.counts();
        rules.indexes();
        rules.transitions();
    }

    private static boolean isTrue(JsonNode status, String type) {
        return has(status, type, "True");
    }

    private static boolean has(JsonNode status, String type, String value) {
        for (JsonNode condition : status.path("conditions")) {
            if (condition.path("type").asText().equals(type)
                    && condition.path("status").asText().equals(value)) {
                return true;
            }
        }
        return false;
    }

    private boolean is(String condition) {
        return isTrue(status.value(), condition);
    }

    private boolean turned(String condition) {
        return is(condition) != isTrue(was, condition);
    }

    private boolean ended() {
        return finished != (isTrue(was, "Complete") || isTrue(was, "Failed"));
    }

    private boolean changed(String field) {
        return !orNull(status.at(field).value()).equals(orNull(was.path(field)));
    }

    private static JsonNode orNull(JsonNode value) {
        return value.isMissingNode() ? Json.NODES.nullNode() : value;
    }

    private void uncounted() {
        Set<String> known = new HashSet<>();
        for (String list : List.of("succeeded", "failed")) {
            for (Spot uid : status.at("uncountedTerminatedPods").each(list)) {
                if (uid.text().isEmpty()) {
                    uid.invalid("must not be empty");
                } else if (!known.add(uid.text())) {
                    uid.duplicate(uid.text());
                }
            }
        }
    }

    private void conditions() {
        if ((turned("Complete") || turned("Failed")) && complete && failed) {
            conditions.wrong("cannot set Complete=True and Failed=true conditions");
        }
        if ((turned("Complete") || turned("FailureTarget")) && complete && is("FailureTarget")) {
            conditions.wrong("cannot set Complete=True and FailureTarget=true conditions");
        }
        if ((turned("Failed") || changed("failedIndexes")) && failed && !is("FailureTarget")) {
            conditions.wrong("cannot set Failed=True condition without the FailureTarget=true condition");
        }
        boolean met = is("SuccessCriteriaMet");
        if ((turned("Complete") || turned("SuccessCriteriaMet")) && complete && !met) {
            conditions.wrong("cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
        }
        if (met && failed) {
            conditions.wrong("cannot set SuccessCriteriaMet=True and Failed=true conditions");
        }
        if (met && is("FailureTarget")) {
            conditions.wrong("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
        }
        if (job.at("spec").has("successPolicy") && !met && complete) {
            conditions.wrong("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True");
        }
    }

    private void times() {
        Spot end = status.at("completionTime");
        Spot start = status.at("startTime");
        if (turned("Complete") || changed("completionTime")) {
            if (end.isGiven() && !complete) {
                end.invalid("cannot set completionTime when there is no Complete=True condition");
            }
            if (!end.isGiven() && complete) {
                end.required("completionTime is required for Complete jobs");
            }
        }
        if ((changed("startTime") || changed("completionTime"))
                && start.isGiven()
                && end.isGiven()
                && time(end).isBefore(time(start))) {
            end.invalid("must be equal to or after `startTime`");
        }
        boolean nothingToDo = job.at("spec").isTrue("suspend")
                && job.at("spec").has("completions")
                && job.at("spec").at("completions").number() == 0;
        if ((ended() || changed("startTime")) && !nothingToDo && finished && !start.isGiven()) {
            start.required("startTime is required for finished job");
        }
    }

    private static Instant time(Spot time) {
        try {
            return Instant.parse(time.text());
        } catch (DateTimeParseException notOurForm) {
            return Instant.EPOCH; // the schema has something to say about it
        }
    }

    private void counts() {
        Spot active = status.at("active");
        if ((ended() || changed("active")) && finished && active.number() > 0) {
            active.invalid("active>0 is invalid for finished job");
        }
        Spot uncounted = status.at("uncountedTerminatedPods");
        boolean some = !uncounted.each("failed").isEmpty()
                || !uncounted.each("succeeded").isEmpty();
        if ((ended() || changed("uncountedTerminatedPods")) && finished && some) {
            uncounted.invalid("must be empty for finished job");
        }
        Spot terminating = status.at("terminating");
        if ((ended() || changed("terminating")) && finished && terminating.number() > 0) {
            terminating.invalid("terminating>0 is invalid for finished job");
        }
        Spot ready = status.at("ready");
        if ((changed("ready") || changed("active")) && ready.number() > active.number()) {
            ready.invalid("cannot set more ready pods than active");
        }
    }

    private void indexes() {
        Spot spec = job.at("spec");
        Spot completed = status.at("completedIndexes");
        Spot failures = status.at("failedIndexes");
        long completions = spec.at("completions").number();
        boolean counted = spec.has("completions");
        if (changed("completedIndexes")) {
            if (counted) {
                format(completed, completions);
            }
            if (!completed.text().isEmpty() && !JobRules.isIndexed(spec)) {
                completed.invalid("cannot set non-empty completedIndexes when non-indexed completion mode");
            }
        }
        if (changed("failedIndexes") && failures.isGiven()) {
            if (!spec.has("backoffLimitPerIndex")) {
                failures.invalid("cannot set non-null failedIndexes when backoffLimitPerIndex is null");
            } else if (counted) {
                format(failures, completions);
            }
        }
        if ((changed("failedIndexes") || changed("completedIndexes")) && counted && failures.isGiven()) {
            IndexList.overlap(completed.text(), failures.text(), completions)
                    .ifPresent(
                            index -> failures.invalid("failedIndexes and completedIndexes overlap at index: " + index));
        }
    }

    private static void format(Spot indexes, long completions) {
        try {
            IndexList.count(indexes.text(), completions);
        } catch (IndexList.MalformedException wrong) {
            String field = indexes.path().substring(indexes.path().indexOf('.') + 1);
            indexes.invalid(indexes.text(), "error parsing " + field + ": " + wrong.getMessage());
        }
    }

    private void transitions() {
        for (String condition : TERMINAL) {
            if (isTrue(was, condition) && !is(condition)) {
                conditions.wrong("cannot disable the terminal " + condition + "=True condition");
            }
        }
        decreasing("failed");
        JsonNode spec = job.at("spec").value();
        boolean scalable =
                JobRules.isIndexed(job.at("spec")) && spec.path("completions").equals(spec.path("parallelism"));
        if (!scalable) {
            decreasing("succeeded");
        }
        Spot end = status.at("completionTime");
        if (end.isGiven() && was.hasNonNull("completionTime") && changed("completionTime")) {
            end.invalid("field is immutable");
        }
        boolean resuming = isTrue(was, "Suspended") && has(status.value(), "Suspended", "False");
        if (changed("startTime")
                && !resuming
                && was.hasNonNull("startTime")
                && !job.at("spec").isTrue("suspend")) {
            status.at("startTime").required("startTime cannot be removed for unsuspended job");
        }
        boolean met = isTrue(was, "SuccessCriteriaMet");
        if (met && !is("SuccessCriteriaMet")) {
            conditions.wrong("cannot disable the SuccessCriteriaMet=True condition");
        }
        if (isTrue(was, "Complete") && !met && is("SuccessCriteriaMet")) {
            conditions.wrong("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
        }
    }

    private void decreasing(String count) {
        if (status.at(count).number() < was.path(count).asLong()) {
            status.at(count).invalid(status.at(count).number(), "cannot decrease the " + count + " counter");
        }
    }
}
