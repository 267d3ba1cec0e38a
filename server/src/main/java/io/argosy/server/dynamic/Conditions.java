package io.argosy.server.dynamic;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cel.common.types.SimpleType;
import io.argosy.server.cel.Expressions;
import io.argosy.server.cel.Expressions.CompileException;
import io.argosy.server.cel.Expressions.EvaluationException;
import io.argosy.server.cel.Expressions.Expression;
import io.argosy.server.cel.Expressions.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Conditions in CEL on a write; all of them must hold for a webhook or policy to be asked. Compiled when first needed. */
public final class Conditions {
    /** What the conditions of one webhook or policy may cost together. */
    private static final long BUDGET = 2_500_000;

    private final JsonNode sources;
    private final Supplier<Scope> scope;
    private volatile List<Condition> compiled;

    /** One condition; without a test where it does not compile. */
    private record Condition(String text, Expression test, String error) {}

    /** What became of the conditions: whether they hold, and if that could not be said, why. */
    public record Outcome(boolean hold, String error) {}

    public Conditions(JsonNode sources, Supplier<Scope> scope) {
        this.sources = sources;
        this.scope = scope;
    }

    public boolean isEmpty() {
        return sources.isEmpty();
    }

    /** One that is false decides, whatever is wrong with others. */
    public Outcome test(Map<String, Object> variables) {
        List<String> errors = new ArrayList<>();
        long budget = BUDGET;
        for (Condition condition : compiled()) {
            if (condition.test() == null) {
                errors.add(condition.error());
                continue;
            }
            try {
                Expressions.Outcome outcome = condition.test().evaluate(variables, budget);
                budget -= outcome.cost();
                if (!Boolean.TRUE.equals(outcome.value())) {
                    return new Outcome(false, "");
                }
            } catch (EvaluationException failed) {
                budget -= failed.cost();
                if (budget < 0) {
                    return new Outcome(false, Expressions.OUT_OF_BUDGET);
                }
                errors.add("expression '" + condition.text() + "' resulted in error: " + failed.getMessage());
            }
        }
        return new Outcome(errors.isEmpty(), aggregated(errors));
    }

    /** Several errors as one text. */
    public static String aggregated(List<String> errors) {
        List<String> distinct = errors.stream().distinct().toList();
        return distinct.size() == 1
                ? distinct.getFirst()
                : distinct.isEmpty() ? "" : "[" + String.join(", ", distinct) + "]";
    }

    private List<Condition> compiled() {
        List<Condition> known = compiled;
        if (known == null) {
            known = new ArrayList<>();
            for (JsonNode source : sources) {
                known.add(compile(source.path("expression").asText(), scope.get()));
            }
            compiled = known;
        }
        return known;
    }

    private static Condition compile(String text, Scope scope) {
        try {
            Expression test = scope.compile(text);
            return isTruth(test)
                    ? new Condition(text, test, "")
                    : new Condition(text, null, "cel expression must evaluate to bool");
        } catch (CompileException wrong) {
            return new Condition(text, null, "compilation error: " + wrong.getMessage());
        }
    }

    static boolean isTruth(Expression test) {
        return test.resultType().equals(SimpleType.BOOL) || test.resultType().equals(SimpleType.DYN);
    }
}
