package io.argosy.server.crd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cel.common.types.CelType;
import dev.cel.common.types.OptionalType;
import dev.cel.common.types.SimpleType;
import io.argosy.api.status.Cause;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.cel.Expressions;
import io.argosy.server.cel.Expressions.CompileException;
import io.argosy.server.cel.Expressions.EvaluationException;
import io.argosy.server.cel.Expressions.Expression;
import io.argosy.server.cel.Expressions.Outcome;
import io.argosy.server.cel.Expressions.Scope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The rules of a schema, compiled; an object is walked along its schema and each rule holds for the value it stands at. */
final class CelRules implements Rules {
    /** What all rules of an object may cost together. */
    private static final long OBJECT_BUDGET = 10_000_000;

    private final StructuralSchema root;
    private final Map<StructuralSchema, List<Rule>> rules = new IdentityHashMap<>();

    /**
     * One rule of a schema.
     *
     * @param test null where the rule does not compile, and then the error says why
     * @param message makes the message; null where the rule has none or a fixed one
     */
    private record Rule(JsonNode source, Expression test, Expression message, String error, boolean transition) {
        boolean optionalOldSelf() {
            return source.path("optionalOldSelf").asBoolean();
        }

        String text() {
            return source.path("rule").asText().strip();
        }

        String fixedMessage() {
            String own = source.path("message").asText("").strip();
            return own.isEmpty() ? "failed rule: " + text() : own;
        }
    }

    CelRules(StructuralSchema root) {
        this.root = root;
        compile(root, "schema", true); // not "self": in a rule, self.spec would then be the name of a type
    }

    private void compile(StructuralSchema schema, String place, boolean resource) {
        if (!schema.ruled()) {
            return;
        }
        if (!schema.expressions().isEmpty()) {
            SelfTypes types = new SelfTypes();
            CelType self = types.type(schema, place, resource || schema.embedded());
            Map<Boolean, Scope> scopes = new HashMap<>();
            List<Rule> compiled = new ArrayList<>();
            for (JsonNode source : schema.expressions()) {
                Scope scope = scopes.computeIfAbsent(
                        source.path("optionalOldSelf").asBoolean(),
                        optional -> new Scope(
                                Map.of("self", self, "oldSelf", optional ? OptionalType.create(self) : self),
                                types.structs()));
                compiled.add(rule(source, scope));
            }
            rules.put(schema, compiled);
        }
        schema.properties().forEach((name, below) -> compile(below, place + "." + name, false));
        if (schema.items() != null) {
            compile(schema.items(), place + ".items", false);
        }
        if (schema.additional() != null && schema.additional() != StructuralSchema.anything()) {
            compile(schema.additional(), place + ".values", false);
        }
    }

    private static Rule rule(JsonNode source, Scope scope) {
        try {
            Expression test = scope.compile(source.path("rule").asText());
            String error = test.resultType().equals(SimpleType.BOOL)
                            || test.resultType().equals(SimpleType.DYN)
                    ? ""
                    : "cel expression must evaluate to a bool";
            Expression message = null;
            String text = source.path("messageExpression").asText("");
            if (!text.isBlank() && error.isEmpty()) {
                try {
                    message = scope.compile(text);
                    if (!message.resultType().equals(SimpleType.STRING)) {
                        error = "messageExpression must evaluate to a string";
                    }
                } catch (CompileException wrong) {
                    error = "messageExpression " + wrong.getMessage();
                }
            }
            return new Rule(source, test, message, error, test.uses("oldSelf"));
        } catch (CompileException wrong) {
            return new Rule(source, null, null, wrong.getMessage(), false);
        }
    }

    @Override
    public void validate(ObjectNode object, ObjectNode before, FieldErrors errors) {
        new Walk(errors).value(object, before, root, "", true);
    }

    /** One object on its way along the schema; for one use. */
    private final class Walk {
        private final FieldErrors errors;
        private long budget = OBJECT_BUDGET;

        Walk(FieldErrors errors) {
            this.errors = errors;
        }

        void value(JsonNode value, JsonNode before, StructuralSchema schema, String path, boolean resource) {
            if (!schema.ruled() || value == null || value.isNull() || budget < 0) {
                return;
            }
            List<Rule> here = rules.get(schema);
            if (here != null) {
                test(here, value, before, schema, path, resource || schema.embedded());
            }
            if (value.isObject()) {
                for (Map.Entry<String, JsonNode> entry : value.properties()) {
                    StructuralSchema below = schema.below(entry.getKey());
                    if (below != null) {
                        JsonNode old = before == null ? null : before.get(entry.getKey());
                        value(entry.getValue(), old, below, ValueValidation.join(path, entry.getKey()), false);
                    }
                }
            } else if (value.isArray() && schema.items() != null) {
                ListKeys keys = schema.listType().equals("map") ? ListKeys.of(schema) : null;
                Map<JsonNode, JsonNode> known = keys == null || before == null ? Map.of() : keys.index(before);
                for (int i = 0; i < value.size(); i++) {
                    JsonNode old = keys == null ? null : known.get(keys.of(value.get(i)));
                    value(value.get(i), old, schema.items(), path + "[" + i + "]", false);
                }
            }
        }

        private void test(
                List<Rule> here,
                JsonNode value,
                JsonNode before,
                StructuralSchema schema,
                String path,
                boolean resource) {
            Map<String, Object> variables = new HashMap<>();
            variables.put("self", SelfTypes.value(value, schema, resource));
            Object old = SelfTypes.value(before, schema, resource);
            boolean unchanged = before != null && before.equals(value);
            for (Rule rule : here) {
                if (budget < 0) {
                    return;
                }
                if (rule.test() == null) {
                    errors.invalid(path, schema.type(), "rule compile error: " + rule.error());
                    continue;
                }
                if (rule.transition() && old == null && !rule.optionalOldSelf()) {
                    continue; // there is nothing to compare with
                }
                if (!rule.transition() && unchanged) {
                    continue; // what was so before may stay so
                }
                if (rule.optionalOldSelf()) {
                    variables.put("oldSelf", Optional.ofNullable(old));
                } else if (old == null) {
                    variables.remove("oldSelf");
                } else {
                    variables.put("oldSelf", old);
                }
                test(rule, variables, value, schema, path);
            }
        }

        private void test(
                Rule rule, Map<String, Object> variables, JsonNode value, StructuralSchema schema, String path) {
            try {
                Outcome outcome = rule.test().evaluate(variables, budget);
                budget -= outcome.cost();
                if (!Boolean.TRUE.equals(outcome.value())) {
                    refuse(rule, variables, value, schema, path);
                }
            } catch (EvaluationException failed) {
                if (failed.overBudget()) {
                    boolean ofObject = budget < Expressions.CALL_LIMIT;
                    errors.invalid(
                            path,
                            schema.type(),
                            ofObject
                                    ? Expressions.OUT_OF_BUDGET
                                    : "'" + failed.getMessage()
                                            + "': no further validation rules will be run due to call cost exceeds"
                                            + " limit for rule: " + rule.text());
                    budget = -1;
                } else {
                    budget -= failed.cost();
                    errors.invalid(path, schema.type(), failed.getMessage() + " evaluating rule: " + rule.text());
                }
            }
        }

        private void refuse(
                Rule rule, Map<String, Object> variables, JsonNode value, StructuralSchema schema, String path) {
            String detail = message(rule, variables);
            String at = RuleFieldPath.shown(rule.source().path("fieldPath").asText(""), schema)
                    .map(own -> ValueValidation.join(path, own))
                    .orElse(path);
            boolean shown = !List.of("object", "array").contains(schema.type());
            switch (rule.source().path("reason").asText("")) {
                case "FieldValueRequired" -> errors.required(at, detail);
                case "FieldValueForbidden" -> errors.forbidden(at, detail);
                case "FieldValueDuplicate" -> errors.duplicate(at, ValueValidation.show(value));
                default -> {
                    if (shown) {
                        errors.invalid(at, ValueValidation.show(value), detail);
                    } else {
                        errors.addAll(List.of(new Cause("FieldValueInvalid", "Invalid value: " + detail, at)));
                    }
                }
            }
        }

        private String message(Rule rule, Map<String, Object> variables) {
            if (rule.message() != null) {
                try {
                    Outcome outcome = rule.message().evaluate(variables, budget);
                    budget -= outcome.cost();
                    String text = String.valueOf(outcome.value()).strip();
                    if (!text.isEmpty() && text.indexOf('\n') < 0 && text.length() <= 5 << 10) {
                        return text;
                    }
                } catch (EvaluationException failed) {
                    budget -= failed.cost();
                    return rule.fixedMessage(); // the rule's own message is as true
                }
            }
            return rule.fixedMessage();
        }
    }

    /** Tells what is wrong with the rules themselves. */
    static void check(StructuralSchema root, String path, FieldErrors errors) {
        RuleCost costs = new RuleCost(errors);
        new RuleCheck(new CelRules(root), errors, costs).check(root, path, null, 1);
        costs.all(path);
    }

    /** Looks at every rule where it stands in the schema. */
    private record RuleCheck(CelRules all, FieldErrors errors, RuleCost costs) {
        /** How often the value can be there is negative where nothing limits it. */
        void check(StructuralSchema schema, String path, String uncorrelatable, double times) {
            if (!schema.ruled()) {
                return;
            }
            schema.properties()
                    .forEach((name, below) -> check(below, path + ".properties[" + name + "]", uncorrelatable, times));
            if (schema.items() != null) {
                boolean keyed = schema.listType().equals("map");
                String lost = uncorrelatable == null && !keyed ? path : uncorrelatable;
                check(
                        schema.items(),
                        path + ".items",
                        lost,
                        times(times, schema.rules().maxItems()));
            }
            if (schema.additional() != null && schema.additional() != StructuralSchema.anything()) {
                check(
                        schema.additional(),
                        path + ".additionalProperties",
                        uncorrelatable,
                        times(times, schema.rules().maxProperties()));
            }
            List<Rule> here = all.rules.getOrDefault(schema, List.of());
            Extent self = here.isEmpty() ? null : Extent.of(schema, schema == all.root || schema.embedded());
            for (int i = 0; i < here.size(); i++) {
                String at = path + ".x-kubernetes-validations[" + i + "]";
                check(here.get(i), at, uncorrelatable);
                if (here.get(i).error().isEmpty() && self != null) {
                    costs.rule(here.get(i).test(), here.get(i).message(), self, times, at);
                }
            }
        }

        private static double times(double outside, Integer most) {
            return outside < 0 || most == null ? -1 : outside * Math.max(0, most);
        }

        private void check(Rule rule, String at, String uncorrelatable) {
            if (!rule.error().isEmpty()) {
                boolean ofMessage = rule.error().startsWith("messageExpression");
                errors.invalid(at + (ofMessage ? ".messageExpression" : ".rule"), rule.source(), rule.error());
                return;
            }
            if (rule.transition() && uncorrelatable != null && !rule.optionalOldSelf()) {
                errors.invalid(
                        at + ".rule",
                        rule.source().path("rule").asText(),
                        "oldSelf cannot be used on the uncorrelatable portion of the schema within " + uncorrelatable);
            }
            if (rule.optionalOldSelf() && !rule.transition()) {
                errors.invalid(at + ".optionalOldSelf", true, "may not be set if oldSelf is not used in rule");
            }
        }
    }
}
