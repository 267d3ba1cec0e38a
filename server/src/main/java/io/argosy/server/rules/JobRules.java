package io.argosy.server.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.names.Names;
import io.argosy.api.selector.LabelSelector;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.podspec.PodTemplateRules;
import io.argosy.server.podspec.Selectors;
import io.argosy.server.validation.Spot;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a job must say, and what of it may change. */
public final class JobRules {
    private static final int MOST_PARALLEL = 100_000;
    private static final int MOST_FAILED_INDEXES = 100_000;

    /** With more completions than this, and a limit for each index, less is allowed of everything else. */
    private static final int MANY_COMPLETIONS = 100_000;

    private static final int MOST_OF_MANY = 10_000;
    private static final int LONGEST_MANAGER = 63;
    private static final List<String> COUNTS = List.of(
            "parallelism",
            "completions",
            "activeDeadlineSeconds",
            "backoffLimit",
            "ttlSecondsAfterFinished",
            "backoffLimitPerIndex",
            "maxFailedIndexes");
    private static final List<String> PER_INDEX = List.of("backoffLimitPerIndex", "maxFailedIndexes");
    private static final List<String> FIXED =
            List.of("completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy");
    private static final List<String> SCHEDULING = List.of("nodeSelector", "tolerations", "schedulingGates");

    private static final String PREFIX = "batch.kubernetes.io/";

    private JobRules() {}

    public static void check(Spot job) {
        Spot spec = job.at("spec");
        if (!spec.isTrue("manualSelector") && spec.has("selector")) {
            generated(job);
        }
        spec(spec);
        selector(spec);
        Spot completions = spec.at("completions");
        if (isIndexed(spec) && completions.number() > 0) {
            Spot name = job.at("metadata").at("name");
            String last = name.text() + "-" + (completions.number() - 1);
            if (Names.labelError(last).isPresent()) {
                name.invalid("will not able to create pod with invalid DNS label: " + last);
            }
        }
    }

    /** The labels that make up the selector, where the server has chosen it, must be those it has chosen. */
    private static void generated(Spot job) {
        String uid = job.at("metadata").text("uid");
        String name = job.at("metadata").text("name");
        Spot labels = job.at("spec").at("template").at("metadata").at("labels");
        Map<String, String> expected = new LinkedHashMap<>();
        expected.put("controller-uid", uid);
        expected.put("job-name", name);
        if (labels.has(PREFIX + "controller-uid") || labels.has(PREFIX + "job-name")) { // very old jobs have neither
            expected.put(PREFIX + "controller-uid", uid);
            expected.put(PREFIX + "job-name", name);
        }
        expected.forEach((label, value) -> {
            Spot found = labels.key(label);
            if (!found.isGiven()) {
                found.required("must be '" + value + "'");
            } else if (!found.text().equals(value)) {
                found.invalid(labels.value(), "must be '" + value + "'");
            }
        });
        Spot selector = job.at("spec").at("selector");
        boolean readable = Selectors.isGood(new Spot(selector.value(), selector.path(), new FieldErrors()));
        if (readable && !LabelSelector.of(selector.value()).matches(expected)) {
            selector.invalid("`selector` not auto-generated");
        }
    }

    private static void selector(Spot spec) {
        Spot selector = spec.at("selector");
        if (!selector.isGiven()) {
            selector.required();
        }
        if (Selectors.isGood(selector)) {
            WorkloadRules.matching(spec, selector.value());
        }
    }

    /** The job that a timetable makes jobs of: their selector is always the server's. */
    public static void template(Spot template) {
        Spot spec = template.at("spec");
        spec(spec);
        if (spec.has("selector")) {
            spec.at("selector").invalid("`selector` will be auto-generated");
        }
        if (spec.isTrue("manualSelector")) {
            spec.errors().notSupported(spec.path() + ".manualSelector", true, List.of("nil", "false"));
        }
    }

    static boolean isIndexed(Spot spec) {
        return spec.text("completionMode").equals("Indexed");
    }

    private static void spec(Spot spec) {
        COUNTS.forEach(count -> spec.at(count).notNegative());
        if (spec.has("maxFailedIndexes") && !spec.has("backoffLimitPerIndex")) {
            spec.at("backoffLimitPerIndex").required("when maxFailedIndexes is specified");
        }
        if (spec.has("managedBy")) {
            spec.at("managedBy").domainPrefixedPath();
            spec.at("managedBy").notLongerThan(LONGEST_MANAGER);
        }
        spec.at("completionMode").oneOf(List.of("NonIndexed", "Indexed"));
        if (isIndexed(spec)) {
            indexed(spec);
        } else if (List.of("", "NonIndexed").contains(spec.text("completionMode"))) {
            PER_INDEX.forEach(field -> onlyIndexed(spec.at(field)));
        }
        boolean failurePolicy = spec.has("podFailurePolicy");
        if (failurePolicy) {
            JobPolicyRules.failure(spec);
        }
        if (!isIndexed(spec)) {
            onlyIndexed(spec.at("successPolicy"));
        } else if (spec.has("successPolicy")) {
            JobPolicyRules.success(spec);
        }
        spec.at("podReplacementPolicy")
                .oneOf(failurePolicy ? List.of("Failed") : List.of("Failed", "TerminatingOrFailed"));
        PodTemplateRules.check(spec.at("template"));
        restart(spec.at("template").at("spec").at("restartPolicy"), failurePolicy);
    }

    private static void onlyIndexed(Spot field) {
        if (field.isGiven()) {
            field.invalid("requires indexed completion mode");
        }
    }

    private static void restart(Spot policy, boolean failurePolicy) {
        switch (policy.text()) {
            case "", "Always" -> policy.required("valid values: \"OnFailure\", \"Never\"");
            case "OnFailure" -> {
                if (failurePolicy) {
                    policy.invalid("only \"Never\" is supported when podFailurePolicy is specified");
                }
            }
            default -> policy.oneOf(List.of("OnFailure", "Never"));
        }
    }

    private static void indexed(Spot spec) {
        Spot completions = spec.at("completions");
        Spot parallel = spec.at("parallelism");
        Spot failed = spec.at("maxFailedIndexes");
        if (!completions.isGiven()) {
            completions.required("when completion mode is Indexed");
        }
        if (parallel.number() > MOST_PARALLEL) {
            parallel.invalid("must be less than or equal to " + MOST_PARALLEL + " when completion mode is Indexed");
        }
        if (completions.isGiven() && failed.number() > completions.number()) {
            failed.invalid("must be less than or equal to completions");
        }
        if (failed.number() > MOST_FAILED_INDEXES) {
            failed.invalid("must be less than or equal to " + MOST_FAILED_INDEXES);
        }
        if (completions.number() <= MANY_COMPLETIONS || !spec.has("backoffLimitPerIndex")) {
            return;
        }
        if (!failed.isGiven()) {
            failed.required("must be specified when completions is above " + MANY_COMPLETIONS);
        }
        for (Spot count : List.of(parallel, failed)) {
            if (count.number() > MOST_OF_MANY) {
                count.invalid("must be less than or equal to " + MOST_OF_MANY + " when completions are above "
                        + MANY_COMPLETIONS + " and used with backoff limit per index");
            }
        }
    }

    /** What of a job may become something else. */
    public static void change(Spot job, JsonNode before) {
        Spot spec = job.at("spec");
        JsonNode was = before.path("spec");
        completions(spec, was);
        fixed(spec.at("selector"), was.path("selector"));
        boolean unscheduled =
                was.path("suspend").asBoolean() && !before.at("/status").hasNonNull("startTime");
        Spot template = spec.at("template");
        fixed(template, unscheduled ? rescheduled(was.path("template"), template.value()) : was.path("template"));
        FIXED.forEach(field -> fixed(spec.at(field), was.path(field)));
    }

    private static void fixed(Spot now, JsonNode before) {
        if (!now.value().equals(before)) {
            now.invalid(now.valueOrNull(), "field is immutable");
        }
    }

    /** Where every completion has its index the job may grow and shrink, with as many pods at once. */
    private static void completions(Spot spec, JsonNode before) {
        Spot completions = spec.at("completions");
        if (!isIndexed(spec)) {
            fixed(completions, before.path("completions"));
        } else if (completions.isGiven()
                && !completions.value().equals(before.path("completions"))
                && completions.number() != spec.at("parallelism").number()) {
            completions.invalid("can only be modified in tandem with spec.parallelism");
        }
    }

    /** The old template with what the new one says of where pods may run: as long as none has, that is open. */
    private static JsonNode rescheduled(JsonNode before, JsonNode now) {
        if (!before.isObject()) {
            return before;
        }
        ObjectNode template = before.deepCopy();
        List<String> described = List.of("annotations", "labels");
        take(template.withObject("/metadata"), now.path("metadata"), described);
        if (template.path("metadata").isEmpty() && !now.has("metadata")) {
            template.remove("metadata");
        }
        ObjectNode spec = template.withObject("/spec");
        take(spec, now.path("spec"), SCHEDULING);
        JsonNode affinity = now.path("spec").path("affinity");
        if (affinity.isObject() || spec.path("affinity").isObject()) {
            ObjectNode merged = spec.withObject("/affinity");
            take(merged, affinity, List.of("nodeAffinity"));
            if (merged.isEmpty() && !affinity.isObject()) {
                spec.remove("affinity");
            }
        }
        return template;
    }

    private static void take(ObjectNode into, JsonNode from, List<String> fields) {
        for (String field : fields) {
            if (from.has(field)) {
                into.set(field, from.get(field));
            } else {
                into.remove(field);
            }
        }
    }
}
