package io.argosy.server.authz;

import io.argosy.server.authn.User;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Several authorizers as one: somebody may do what any of them allows; where none does, all reasons are given. */
public record Authorizers(List<Authorizer> all) implements Authorizer {
    @Override
    public Decision decide(Action action) {
        String reasons = "";
        for (Authorizer one : all) {
            Decision decision = one.decide(action);
            if (decision.allowed()) {
                return decision;
            }
            if (!decision.reason().isEmpty()) {
                reasons = reasons.isEmpty() ? decision.reason() : reasons + "\n" + decision.reason();
            }
        }
        return reasons.isEmpty() ? Decision.NO : Decision.no(reasons);
    }

    @Override
    public List<PolicyRule> rules(User user, String namespace) {
        List<PolicyRule> rules = new ArrayList<>();
        all.forEach(one -> rules.addAll(one.rules(user, namespace)));
        return rules;
    }

    @Override
    public Optional<String> beyondRules(User user) {
        return all.stream().flatMap(one -> one.beyondRules(user).stream()).findFirst();
    }
}
