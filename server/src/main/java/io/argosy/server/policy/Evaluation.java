package io.argosy.server.policy;

import io.argosy.server.cel.Expressions.EvaluationException;
import io.argosy.server.cel.Expressions.Expression;
import io.argosy.server.cel.Expressions.Outcome;
import java.util.AbstractMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** The evaluation of one policy for one write: variables are worked out when first used, and all of it has one budget. For one thread. */
final class Evaluation {
    /** What all expressions of a policy may cost together. */
    private static final long BUDGET = 10_000_000;

    private final Map<String, Object> values;
    private long budget = BUDGET;

    Evaluation(Map<String, Object> values, Map<String, Expression> variables) {
        this.values = new HashMap<>(values);
        this.values.put("variables", new Lazy(variables));
    }

    Object of(Expression expression) throws EvaluationException {
        try {
            Outcome outcome = expression.evaluate(values, Math.max(0, budget));
            budget -= outcome.cost();
            return outcome.value();
        } catch (EvaluationException failed) {
            budget -= failed.cost();
            throw failed;
        }
    }

    /** Whether all evaluations together have cost more than they may. */
    boolean outOfBudget() {
        return budget < 0;
    }

    /** Variables by name. */
    private final class Lazy extends AbstractMap<String, Object> {
        private final Map<String, Expression> variables;
        private final Map<String, Object> known = new HashMap<>();

        Lazy(Map<String, Expression> variables) {
            this.variables = variables;
        }

        @Override
        public boolean containsKey(Object name) {
            return variables.containsKey(name);
        }

        @Override
        public Object get(Object name) {
            Expression variable = variables.get(name);
            if (variable == null) {
                return null;
            }
            if (!known.containsKey(name)) {
                try {
                    known.put((String) name, of(variable));
                } catch (EvaluationException failed) {
                    throw new IllegalArgumentException(
                            "composited variable \"" + name + "\" fails to evaluate: " + failed.getMessage(), failed);
                }
            }
            return known.get(name);
        }

        @Override
        public Set<Map.Entry<String, Object>> entrySet() {
            Set<Map.Entry<String, Object>> entries = new LinkedHashSet<>();
            variables.keySet().forEach(name -> entries.add(Map.entry(name, get(name))));
            return entries;
        }
    }
}
