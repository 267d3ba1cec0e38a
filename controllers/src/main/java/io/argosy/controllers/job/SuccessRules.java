package io.argosy.controllers.job;

import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.SuccessPolicyRule;
import java.util.List;
import java.util.Optional;

/** Which of its indexes are enough for an indexed Job to have succeeded. */
final class SuccessRules {
    private SuccessRules() {}

    /** The message of the first rule that is met. */
    static Optional<String> met(Job job, Indexes succeeded) {
        if (job.getSpec().getSuccessPolicy() == null || succeeded == null) {
            return Optional.empty();
        }
        List<SuccessPolicyRule> rules = job.getSpec().getSuccessPolicy().getRules();
        for (int i = 0; i < rules.size(); i++) {
            if (isMet(rules.get(i), succeeded, job.getSpec().getCompletions())) {
                return Optional.of("Matched rules at index " + i);
            }
        }
        return Optional.empty();
    }

    private static boolean isMet(SuccessPolicyRule rule, Indexes succeeded, int completions) {
        if (rule.getSucceededIndexes() == null) {
            return rule.getSucceededCount() != null && succeeded.size() >= rule.getSucceededCount();
        }
        Indexes expected = Indexes.parse(rule.getSucceededIndexes(), completions);
        int common = expected.inCommon(succeeded);
        return rule.getSucceededCount() == null ? common == expected.size() : common >= rule.getSucceededCount();
    }
}
