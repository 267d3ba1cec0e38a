package io.argosy.server.audit;

import io.argosy.server.authz.Authorizer.Action;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** How much is written of which requests: the first rule that fits says it; where none does, nothing is. */
public record AuditPolicy(List<AuditRule> rules, Set<Stage> omitStages, boolean omitManagedFields) {
    /** What is written of one request. */
    record Verdict(Level level, Set<Stage> omitStages, boolean omitManagedFields) {}

    Verdict of(Action action) {
        for (AuditRule rule : rules) {
            if (rule.fits(action)) {
                Set<Stage> omitted = new HashSet<>(omitStages);
                omitted.addAll(rule.omitStages());
                boolean bare = rule.omitManagedFields() == null ? omitManagedFields : rule.omitManagedFields();
                return new Verdict(rule.level(), omitted, bare);
            }
        }
        return new Verdict(Level.None, omitStages, omitManagedFields);
    }
}
