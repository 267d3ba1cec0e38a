package io.argosy.server.podspec;

import io.argosy.server.validation.Spot;

/** What a selector of labels must say. */
final class Selectors {
    private Selectors() {}

    static void check(Spot selector) {
        selector.at("matchLabels").labels();
        for (Spot expression : selector.each("matchExpressions")) {
            Spot values = expression.at("values");
            switch (expression.text("operator")) {
                case "In", "NotIn" -> {
                    if (values.value().isEmpty()) {
                        values.required("must be specified when `operator` is 'In' or 'NotIn'");
                    }
                }
                case "Exists", "DoesNotExist" -> {
                    if (!values.value().isEmpty()) {
                        values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
                    }
                }
                default -> expression.at("operator").invalid("not a valid selector operator");
            }
            expression.at("key").qualifiedName();
            values.each().forEach(Spot::labelValue);
        }
    }
}
