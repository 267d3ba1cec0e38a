package io.argosy.server.podspec;

import io.argosy.api.status.FieldErrors;
import io.argosy.server.validation.Spot;

/** What a selector of labels must say. */
public final class Selectors {
    private Selectors() {}

    public static void check(Spot selector) {
        selector.at("matchLabels").labels();
        for (Spot expression : selector.each("matchExpressions")) {
            expression(expression, false);
            expression.each("values").forEach(Spot::labelValue);
        }
    }

    /** The same; whether it can be read. */
    public static boolean isGood(Spot selector) {
        FieldErrors found = new FieldErrors();
        check(new Spot(selector.value(), selector.path(), found));
        selector.errors().addAll(found.causes());
        return found.isEmpty();
    }

    /** A key, an operator, and as many values as the operator takes; of nodes' labels some can also be compared. */
    static void expression(Spot expression, boolean comparing) {
        Spot values = expression.at("values");
        int count = values.value().size();
        String operator = expression.text("operator");
        switch (operator) {
            case "In", "NotIn" -> {
                if (count == 0) {
                    values.required("must be specified when `operator` is 'In' or 'NotIn'");
                }
            }
            case "Exists", "DoesNotExist" -> {
                if (count > 0) {
                    values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
                }
            }
            default -> {
                if (!comparing || !(operator.equals("Gt") || operator.equals("Lt"))) {
                    expression.at("operator").invalid("not a valid selector operator");
                } else if (count != 1) {
                    values.required("must be specified single value when `operator` is 'Lt' or 'Gt'");
                }
            }
        }
        expression.at("key").qualifiedName();
    }
}
