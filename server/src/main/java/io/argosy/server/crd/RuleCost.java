package io.argosy.server.crd;

import io.argosy.api.status.FieldErrors;
import io.argosy.server.cel.CostEstimate;
import io.argosy.server.cel.Expressions.Expression;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Holds what the rules of a schema can cost at worst against the limits: for each of them, and for all together. */
final class RuleCost {
    private static final double LIMIT = 10_000_000;
    private static final double LIMIT_OF_ALL = 100_000_000;
    private static final int SHOWN = 4;

    private final FieldErrors errors;
    private final List<Known> expensive = new ArrayList<>();
    private double total;

    private record Known(String path, double cost) {}

    RuleCost(FieldErrors errors) {
        this.errors = errors;
    }

    /**
     * A rule, and what makes its message if there is such an expression.
     *
     * @param times how often the value can be there that the rule is about; negative if nothing limits it
     */
    void rule(Expression test, Expression message, Extent self, double times, String path) {
        double often = times < 0 ? self.timesInARequest() : times;
        observe("estimated rule cost", CostEstimate.of(test.tree(), self) * often, path + ".rule");
        if (message != null) {
            double cost = CostEstimate.of(message.tree(), self);
            observe("estimated messageExpression cost", cost, path + ".messageExpression");
        }
    }

    private void observe(String what, double cost, String path) {
        if (cost > LIMIT) {
            errors.forbidden(path, excess(what, cost / LIMIT));
        }
        total += cost;
        if (cost >= LIMIT_OF_ALL / 100) {
            expensive.add(new Known(path, cost));
        }
    }

    /** To be called when all rules are known. */
    void all(String path) {
        if (total <= LIMIT_OF_ALL) {
            return;
        }
        expensive.stream()
                .sorted(Comparator.comparingDouble(Known::cost).reversed())
                .limit(SHOWN)
                .forEach(one -> errors.forbidden(
                        one.path(),
                        "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"));
        errors.forbidden(
                path,
                excess(
                        "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema",
                        total / LIMIT_OF_ALL));
    }

    private static String excess(String what, double factor) {
        String shown =
                factor > 100 ? "more than 100x" : String.format(Locale.ROOT, factor < 1.5 ? "%fx" : "%.1fx", factor);
        return what + " exceeds budget by factor of " + shown
                + " (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and"
                + " strings are declared)";
    }
}
