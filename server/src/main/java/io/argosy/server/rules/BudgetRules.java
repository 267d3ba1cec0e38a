package io.argosy.server.rules;

import io.argosy.server.podspec.Selectors;
import io.argosy.server.validation.Spot;
import java.util.List;

/** How many pods may be missing at once. */
public final class BudgetRules {
    private BudgetRules() {}

    public static void check(Spot budget) {
        Spot spec = budget.at("spec");
        if (spec.has("minAvailable") && spec.has("maxUnavailable")) {
            spec.invalid("minAvailable and maxUnavailable cannot be both set");
        }
        for (String share : List.of("minAvailable", "maxUnavailable")) {
            Share.check(spec.at(share));
            Share.notMoreThanAll(spec.at(share));
        }
        Selectors.check(spec.at("selector"));
        spec.at("unhealthyPodEvictionPolicy").supported(List.of("AlwaysAllow", "IfHealthyBudget"));
        ConditionRules.check(budget.at("status").at("conditions"));
        for (String count : List.of("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")) {
            budget.at("status").at(count).notNegative();
        }
    }
}
