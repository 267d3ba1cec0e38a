package io.argosy.server.rules;

import io.argosy.server.podspec.Selectors;
import io.argosy.server.validation.Spot;
import java.util.List;

/** How many pods may be missing at once. */
public final class BudgetRules {
    private static final String PERCENT =
            "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

    private BudgetRules() {}

    public static void check(Spot budget) {
        Spot spec = budget.at("spec");
        if (spec.has("minAvailable") && spec.has("maxUnavailable")) {
            spec.invalid("minAvailable and maxUnavailable cannot be both set");
        }
        amount(spec.at("minAvailable"));
        amount(spec.at("maxUnavailable"));
        Selectors.check(spec.at("selector"));
        spec.at("unhealthyPodEvictionPolicy").oneOf(List.of("AlwaysAllow", "IfHealthyBudget"));
        for (String count : List.of("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")) {
            budget.at("status").at(count).notNegative();
        }
    }

    private static void amount(Spot amount) {
        if (!amount.value().isTextual()) {
            amount.notNegative();
        } else if (!amount.text().matches("[0-9]+%")) {
            amount.invalid(PERCENT);
        } else if (amount.text().length() > 4 || Integer.parseInt(amount.text().replace("%", "")) > 100) {
            amount.invalid("must not be greater than 100%");
        }
    }
}
