package io.argosy.server.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.apply.Overlay;
import io.argosy.api.apply.Shape;
import io.argosy.api.patch.JsonPatch;
import io.argosy.api.schema.Schemas;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.ApiException.Details;
import io.argosy.api.status.Cause;
import io.argosy.api.status.Reason;
import io.argosy.server.authz.Authorizer;
import io.argosy.server.cel.Expressions.EvaluationException;
import io.argosy.server.cel.JsonValues;
import io.argosy.server.dynamic.Conditions;
import io.argosy.server.dynamic.Mutation;
import io.argosy.server.dynamic.Reinvocation;
import io.argosy.server.dynamic.Subject;
import io.argosy.server.dynamic.Subject.Version;
import io.argosy.server.policy.Policy.Clause;
import io.argosy.server.policy.PolicyMatch.Case;
import io.argosy.server.registry.Admission;
import io.argosy.server.registry.Registry;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Changes objects as the policies in CEL say that administrators have put into effect. */
public final class MutatingPolicies implements Admission {
    private static final int FORBIDDEN = 403;

    private final PolicyMatch match;

    public MutatingPolicies(Supplier<Registry> registry, Authorizer authorizer) {
        this.match = new PolicyMatch(registry, authorizer);
    }

    public void follow() {
        match.follow("mutatingadmissionpolicies", "mutatingadmissionpolicybindings");
    }

    /** A policy that failed. */
    private static final class FailedException extends Exception {
        private static final long serialVersionUID = 1L;

        FailedException(String message) {
            super(message, null, false, false);
        }
    }

    @Override
    public void mutate(Review review) {
        if (match.isEmpty() || Subject.isExempt(review) || review.object() == null) {
            return;
        }
        Subject subject = new Subject(review, match.registry().types());
        List<Case> cases = match.cases(subject);
        if (cases.isEmpty()) {
            return;
        }
        Reinvocation reinvocation = Reinvocation.of(review, this);
        List<Cause> refusals = new ArrayList<>();
        for (Case one : cases) {
            if (reinvocation.isDue(one.id())) {
                ObjectNode before = review.object().deepCopy();
                for (String failure : apply(one, subject)) {
                    if (!one.policy().failsOpen()) {
                        refusals.add(refusal(one, failure));
                    }
                }
                reinvocation.seen(one.id(), one.policy().isReinvoked(), !before.equals(review.object()), review);
            }
        }
        reinvocation.end(review);
        if (!refusals.isEmpty()) {
            throw ApiException.ofOthers(
                    FORBIDDEN,
                    "Invalid",
                    refusals.getFirst().message(),
                    Details.of(subject.used().groupResource(), review.name()).withCauses(refusals));
        }
    }

    /** What failed; the mutations after it are made all the same. */
    private List<String> apply(Case one, Subject subject) {
        if (!one.error().isEmpty()) {
            return List.of(one.error());
        }
        Conditions.Outcome conditions = PolicyMatch.conditions(one, match.values(one, subject));
        if (!conditions.error().isEmpty()) {
            return List.of(conditions.error());
        }
        List<String> failures = new ArrayList<>();
        if (conditions.hold()) {
            for (Clause mutation : one.policy().compiled().mutations()) {
                try {
                    mutate(mutation, one, subject);
                } catch (FailedException failed) {
                    failures.add(failed.getMessage());
                }
            }
        }
        return failures;
    }

    private void mutate(Clause mutation, Case one, Subject subject) throws FailedException {
        if (mutation.test() == null) {
            throw new FailedException(mutation.error());
        }
        Version version = subject.in(one.version().type());
        Evaluation evaluation = new Evaluation(
                match.values(one, subject), one.policy().compiled().scopes().variables());
        ObjectNode changed;
        try {
            JsonNode made = JsonValues.tree(evaluation.of(mutation.test()));
            changed = Policy.isJsonPatch(mutation.source()) ? patched(version, made) : laidOver(version, made);
        } catch (EvaluationException failed) {
            throw new FailedException(failed.getMessage());
        } catch (IllegalArgumentException impossible) {
            throw new FailedException("error applying patch: " + impossible.getMessage());
        }
        if (changed != null) {
            take(subject, version, changed);
        }
    }

    /** A result that is no such object any more is a failure of the policy. */
    private static void take(Subject subject, Version version, ObjectNode changed) throws FailedException {
        try {
            Mutation.take(subject, version, changed);
        } catch (ApiException unusable) {
            if (!unusable.is(Reason.InternalError)) {
                throw unusable;
            }
            throw new FailedException(unusable.getMessage().replace("Internal error occurred: ", ""));
        }
    }

    /** Null where a test of the patch says that it is not for this object. */
    private static ObjectNode patched(Version version, JsonNode patch) throws FailedException {
        try {
            return JsonPatch.apply(version.object().deepCopy(), patch) instanceof ObjectNode object ? object : null;
        } catch (ApiException impossible) {
            if (impossible.getMessage().endsWith("test failed")) {
                return null;
            }
            throw new FailedException("JSONPath: "
                    + impossible
                            .getMessage()
                            .replace("the server rejected our request due to an error in our request: ", ""));
        }
    }

    private static ObjectNode laidOver(Version version, JsonNode made) throws FailedException {
        if (!(made instanceof ObjectNode part)) {
            throw new FailedException("unsupported return type from ApplyConfiguration expression");
        }
        Shape shape = version.type().isCustom()
                ? version.type().custom().shape()
                : Schemas.builtIn().find(version.kind()).map(Shape::of).orElse(Shape.DEDUCED);
        try {
            return Overlay.merge(version.object(), part, shape);
        } catch (IllegalArgumentException atomic) {
            throw new FailedException("error applying patch: invalid ApplyConfiguration: " + atomic.getMessage());
        }
    }

    private static Cause refusal(Case one, String why) {
        String message = "policy '" + one.policy().name() + "' with binding '"
                + one.binding().name() + "' denied request: " + why;
        return new Cause("", message, "");
    }
}
