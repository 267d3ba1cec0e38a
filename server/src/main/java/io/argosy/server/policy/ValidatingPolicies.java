package io.argosy.server.policy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cel.common.values.NullValue;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.ApiException.Details;
import io.argosy.api.status.Cause;
import io.argosy.api.status.Reason;
import io.argosy.server.authz.Authorizer;
import io.argosy.server.cel.Expressions;
import io.argosy.server.cel.Expressions.EvaluationException;
import io.argosy.server.dynamic.Conditions;
import io.argosy.server.dynamic.Subject;
import io.argosy.server.policy.Policy.Clause;
import io.argosy.server.policy.PolicyMatch.Case;
import io.argosy.server.registry.Admission;
import io.argosy.server.registry.Registry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Holds writes against the policies in CEL that administrators have put into effect. */
public final class ValidatingPolicies implements Admission {
    private static final int LONGEST_MESSAGE = 5 * 1024;
    private static final int LONGEST_ANNOTATION = 10 * 1024;

    private final PolicyMatch match;

    public ValidatingPolicies(Supplier<Registry> registry, Authorizer authorizer) {
        this.match = new PolicyMatch(registry, authorizer);
    }

    public void follow() {
        match.follow("validatingadmissionpolicies", "validatingadmissionpolicybindings");
    }

    /**
     * Something that does not hold, or could not be found out.
     *
     * @param index of the expression
     * @param failed whether the policy failed, not the object
     */
    private record Finding(int index, String message, Reason reason, boolean failed) {}

    /** What one write comes to; for one thread. */
    private static final class Judgement {
        private ApiException refusal;
        private final Map<String, Set<String>> annotations = new LinkedHashMap<>();
    }

    @Override
    public void validate(Review review) {
        if (match.isEmpty() || Subject.isExempt(review)) {
            return;
        }
        Subject subject = new Subject(review, match.registry().types());
        Judgement judgement = new Judgement();
        for (Case one : match.cases(subject)) {
            judge(one, subject, judgement);
        }
        judgement.annotations.forEach(
                (key, values) -> review.options().annotations().accept(key, String.join(", ", values)));
        if (judgement.refusal != null) {
            throw judgement.refusal;
        }
    }

    private void judge(Case one, Subject subject, Judgement judgement) {
        if (!one.error().isEmpty()) {
            if (!one.policy().failsOpen()) {
                deny(one, subject, new Finding(0, one.error(), Reason.Invalid, true), judgement);
            }
            return;
        }
        Map<String, Object> values = match.values(one, subject);
        Conditions.Outcome conditions = PolicyMatch.conditions(one, values);
        if (!conditions.error().isEmpty()) {
            if (!one.policy().failsOpen()) {
                act(one, subject, new Finding(0, conditions.error(), Reason.Invalid, true), judgement);
            }
            return;
        }
        if (!conditions.hold()) {
            return;
        }
        Evaluation evaluation =
                new Evaluation(values, one.policy().compiled().scopes().variables());
        List<Clause> validations = one.policy().compiled().validations();
        for (int i = 0; i < validations.size(); i++) {
            Finding finding = test(validations.get(i), i, evaluation);
            if (finding != null && !(finding.failed() && one.policy().failsOpen())) {
                act(one, subject, finding, judgement);
            }
        }
        annotate(one, subject, evaluation, judgement);
    }

    /** Null if it holds. */
    private static Finding test(Clause clause, int index, Evaluation evaluation) {
        if (clause.test() == null) {
            return new Finding(index, clause.error(), Reason.Invalid, true);
        }
        String text = clause.source().path("expression").asText();
        try {
            if (Boolean.TRUE.equals(evaluation.of(clause.test()))) {
                return null;
            }
        } catch (EvaluationException failed) {
            String message = evaluation.outOfBudget()
                    ? Expressions.OUT_OF_BUDGET
                    : "expression '" + text + "' resulted in error: " + failed.getMessage();
            return new Finding(index, message, Reason.Invalid, true);
        }
        Reason reason = switch (clause.source().path("reason").asText()) {
            case "Unauthorized" -> Reason.Unauthorized;
            case "Forbidden" -> Reason.Forbidden;
            case "RequestEntityTooLarge" -> Reason.RequestEntityTooLarge;
            default -> Reason.Invalid;
        };
        return new Finding(index, message(clause, text, evaluation), reason, false);
    }

    /** The message that is worked out, else the fixed one, else the expression itself. */
    private static String message(Clause clause, String text, Evaluation evaluation) {
        if (clause.message() != null) {
            try {
                String made = evaluation.of(clause.message()) instanceof String said ? said.strip() : "";
                if (!made.isEmpty() && made.length() <= LONGEST_MESSAGE && made.indexOf('\n') < 0) {
                    return made;
                }
            } catch (EvaluationException unsaid) {
                // the next best message is used
            }
        }
        String fixed = clause.source().path("message").asText("").strip();
        return fixed.isEmpty() ? "failed expression: " + text.strip() : fixed;
    }

    private static void act(Case one, Subject subject, Finding finding, Judgement judgement) {
        for (String action : one.binding().actions()) {
            switch (action) {
                case "Deny" -> deny(one, subject, finding, judgement);
                case "Warn" ->
                    subject.review()
                            .options()
                            .warnings()
                            .accept("Validation failed for ValidatingAdmissionPolicy '"
                                    + one.policy().name() + "' with binding '"
                                    + one.binding().name() + "': " + finding.message());
                default -> record(one, subject, finding);
            }
        }
    }

    private static void deny(Case one, Subject subject, Finding finding, Judgement judgement) {
        if (judgement.refusal != null) {
            return;
        }
        String message = "ValidatingAdmissionPolicy '" + one.policy().name() + "' with binding '"
                + one.binding().name() + "' denied request: " + finding.message();
        var resource = subject.used().groupResource();
        String name =
                subject.review().name().isEmpty() ? "Unknown" : subject.review().name();
        judgement.refusal = new ApiException(
                finding.reason(),
                resource + " \"" + name + "\" is forbidden: " + message,
                Details.of(resource, name).withCauses(List.of(new Cause("", message, ""))));
    }

    private static void record(Case one, Subject subject, Finding finding) {
        var list = Json.NODES.arrayNode();
        ObjectNode failure = list.addObject()
                .put("message", finding.message())
                .put("policy", one.policy().name())
                .put("binding", one.binding().name())
                .put("expressionIndex", finding.index());
        one.binding().actions().forEach(failure.putArray("validationActions")::add);
        subject.review()
                .options()
                .annotations()
                .accept(
                        "validation.policy.admission.k8s.io/validation_failure",
                        new String(Json.encode(list), StandardCharsets.UTF_8));
    }

    private static void annotate(Case one, Subject subject, Evaluation evaluation, Judgement judgement) {
        List<String> errors = new ArrayList<>();
        for (Clause clause : one.policy().compiled().annotations()) {
            String key = one.policy().name() + "/" + clause.source().path("key").asText();
            String text = clause.source().path("valueExpression").asText();
            try {
                Object value = clause.test() == null ? clause : evaluation.of(clause.test());
                if (value instanceof String said && !said.isBlank()) {
                    String kept = said.strip();
                    judgement
                            .annotations
                            .computeIfAbsent(key, k -> new LinkedHashSet<>())
                            .add(kept.length() > LONGEST_ANNOTATION ? kept.substring(0, LONGEST_ANNOTATION) : kept);
                } else if (!(value instanceof String) && !(value instanceof NullValue)) {
                    errors.add(
                            clause.test() == null
                                    ? clause.error()
                                    : "valueExpression '" + text
                                            + "' resulted in unsupported return type. Return type must"
                                            + " be either string or null.");
                }
            } catch (EvaluationException failed) {
                errors.add("expression '" + text + "' resulted in error: " + failed.getMessage());
            }
        }
        if (!one.policy().failsOpen()) {
            errors.forEach(error -> deny(one, subject, new Finding(0, error, Reason.Invalid, true), judgement));
        }
    }
}
