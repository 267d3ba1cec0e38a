package io.argosy.server.rules;

import io.argosy.server.validation.Spot;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** When pods that failed count, and when enough have succeeded. */
final class JobPolicyRules {
    private static final int MOST_RULES = 20;
    private static final int MOST_EXIT_CODES = 255;
    private static final int MOST_CONDITIONS = 20;
    private static final int LONGEST_INDEXES = 64 * 1024;
    private static final List<String> ACTIONS = List.of("Count", "FailIndex", "FailJob", "Ignore");

    private JobPolicyRules() {}

    static void failure(Spot spec) {
        Spot rules = spec.at("podFailurePolicy").at("rules");
        rules.atMost(MOST_RULES);
        Set<String> containers = new HashSet<>();
        Spot pod = spec.at("template").at("spec");
        pod.each("containers").forEach(container -> containers.add(container.text("name")));
        pod.each("initContainers").forEach(container -> containers.add(container.text("name")));
        boolean perIndex = spec.has("backoffLimitPerIndex");
        rules.each().forEach(rule -> failure(rule, containers, perIndex));
    }

    private static void failure(Spot rule, Set<String> containers, boolean perIndex) {
        Spot action = rule.at("action");
        if (action.text().equals("FailIndex") && !perIndex) {
            action.invalid("requires the backoffLimitPerIndex to be set");
        }
        oneOf(action, ACTIONS);
        Spot codes = rule.at("onExitCodes");
        Spot conditions = rule.at("onPodConditions");
        boolean some = !conditions.each().isEmpty();
        if (codes.isGiven()) {
            exitCodes(codes, containers);
        }
        conditions(conditions);
        if (codes.isGiven() && some) {
            rule.wrong("specifying both OnExitCodes and OnPodConditions is not supported");
        } else if (!codes.isGiven() && !some) {
            rule.wrong("specifying one of OnExitCodes and OnPodConditions is required");
        }
    }

    /** One of the words, and who gives none is told all of them. */
    private static void oneOf(Spot word, List<String> words) {
        if (word.text().isEmpty()) {
            word.required("valid values: [\"" + String.join("\" \"", words) + "\"]");
        } else {
            word.oneOf(words);
        }
    }

    private static void exitCodes(Spot codes, Set<String> containers) {
        oneOf(codes.at("operator"), List.of("In", "NotIn"));
        Spot container = codes.at("containerName");
        if (container.isGiven() && !containers.contains(container.text())) {
            container.invalid("must be one of the container or initContainer names in the pod template");
        }
        Spot values = codes.at("values");
        List<Spot> each = values.each();
        if (each.isEmpty()) {
            values.invalid(values.valueOrNull(), "at least one value is required");
        }
        values.atMost(MOST_EXIT_CODES);
        boolean ordered = true;
        Set<Long> known = new HashSet<>();
        long before = Long.MIN_VALUE;
        for (Spot value : each) {
            if (codes.text("operator").equals("In") && value.number() == 0) {
                value.invalid("must not be 0 for the In operator");
            }
            if (!known.add(value.number())) {
                value.duplicate(value.number());
            }
            ordered &= before <= value.number();
            before = value.number();
        }
        if (!ordered) {
            values.invalid("must be ordered");
        }
    }

    private static void conditions(Spot conditions) {
        conditions.atMost(MOST_CONDITIONS);
        for (Spot pattern : conditions.each()) {
            pattern.at("type").qualifiedName();
            oneOf(pattern.at("status"), List.of("False", "True", "Unknown"));
        }
    }

    static void success(Spot spec) {
        Spot rules = spec.at("successPolicy").at("rules");
        if (rules.each().isEmpty()) {
            rules.required("at least one rules must be specified when the successPolicy is specified");
        }
        rules.atMost(MOST_RULES);
        long completions = spec.at("completions").number();
        rules.each().forEach(rule -> success(rule, completions));
    }

    private static void success(Spot rule, long completions) {
        Spot count = rule.at("succeededCount");
        Spot indexes = rule.at("succeededIndexes");
        if (!count.isGiven() && !indexes.isGiven()) {
            rule.required("at least one of succeededCount or succeededIndexes must be specified");
        }
        long listed = 0;
        if (indexes.isGiven()) {
            indexes.notLongerThan(LONGEST_INDEXES);
            try {
                listed = IndexList.count(indexes.text(), completions);
            } catch (IndexList.MalformedException malformed) {
                indexes.invalid("error parsing succeededIndexes: " + malformed.getMessage());
            }
        }
        count.notNegative();
        if (count.number() > completions) {
            count.invalid("must be less than or equal to " + completions + " (the number of specified completions)");
        }
        if (indexes.isGiven() && count.number() > listed) {
            count.invalid("must be less than or equal to " + listed
                    + " (the number of indexes in the specified succeededIndexes field)");
        }
    }
}
