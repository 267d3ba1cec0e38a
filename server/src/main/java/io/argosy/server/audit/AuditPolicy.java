package io.argosy.server.audit;

import io.argosy.server.authz.Authorizer.Action;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * How much is written of which requests: the first rule that fits says it; where none does, nothing is. Of Secrets and tokens never more than that
 * somebody asked, whatever the rule.
 */
public record AuditPolicy(List<AuditRule> rules, Set<Stage> omitStages, boolean omitManagedFields) {
    /** What is written of one request. */
    record Verdict(Level level, Set<Stage> omitStages, boolean omitManagedFields) {}

    Verdict of(Action action) {
        for (AuditRule rule : rules) {
            if (rule.fits(action)) {
                Set<Stage> omitted = new HashSet<>(omitStages);
                omitted.addAll(rule.omitStages());
                boolean bare = rule.omitManagedFields() == null ? omitManagedFields : rule.omitManagedFields();
                Level level = isSecret(action) && rule.level().holds(Level.Metadata) ? Level.Metadata : rule.level();
                return new Verdict(level, omitted, bare);
            }
        }
        return new Verdict(Level.None, omitStages, omitManagedFields);
    }

    private static boolean isSecret(Action action) {
        return switch (action.resource()) {
            case "secrets" -> action.group().isEmpty();
            case "serviceaccounts" ->
                action.group().isEmpty() && action.subresource().equals("token");
            case "tokenreviews" -> action.group().equals("authentication.k8s.io");
            default -> false;
        };
    }
}
