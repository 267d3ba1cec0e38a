package io.argosy.server.policy;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.cel.Expressions.CompileException;
import io.argosy.server.cel.Expressions.Expression;
import io.argosy.server.cel.Expressions.Scope;
import io.argosy.server.dynamic.Conditions;
import io.argosy.server.dynamic.Criteria;
import java.util.ArrayList;
import java.util.List;

/** A policy as stored; its expressions are compiled when the first write needs them. Immutable to those who use it. */
final class Policy {
    private final String name;
    private final JsonNode spec;
    private final Criteria criteria;
    private final Conditions conditions;
    private volatile Compiled compiled;

    /** An expression with what goes with it; the test is null where it does not compile, and then the error says why. */
    record Clause(JsonNode source, Expression test, Expression message, String error) {}

    /** Everything that is evaluated. */
    record Compiled(PolicyScopes scopes, List<Clause> validations, List<Clause> annotations, List<Clause> mutations) {}

    private Policy(CachedObject object) {
        this.name = object.name();
        this.spec = Json.decodeObject(object.json()).path("spec");
        this.criteria = Criteria.of(spec.path("matchConstraints"));
        this.conditions = new Conditions(spec.path("matchConditions"), () -> new PolicyScopes(spec).ofConditions());
    }

    static List<Policy> read(CachedObject object) {
        return List.of(new Policy(object));
    }

    String name() {
        return name;
    }

    JsonNode paramKind() {
        return spec.path("paramKind");
    }

    Criteria criteria() {
        return criteria;
    }

    Conditions conditions() {
        return conditions;
    }

    boolean failsOpen() {
        return spec.path("failurePolicy").asText().equals("Ignore");
    }

    boolean isReinvoked() {
        return spec.path("reinvocationPolicy").asText().equals("IfNeeded");
    }

    Compiled compiled() {
        Compiled known = compiled;
        if (known == null) {
            PolicyScopes scopes = new PolicyScopes(spec).compile();
            known = new Compiled(
                    scopes,
                    clauses("validations", "expression", scopes),
                    clauses("auditAnnotations", "valueExpression", scopes),
                    mutations(scopes));
            compiled = known;
        }
        return known;
    }

    private List<Clause> clauses(String list, String field, PolicyScopes scopes) {
        List<Clause> clauses = new ArrayList<>();
        for (JsonNode source : spec.path(list)) {
            try {
                Expression test = scopes.whole().compile(source.path(field).asText());
                clauses.add(new Clause(source, test, message(source, scopes), ""));
            } catch (CompileException wrong) {
                clauses.add(new Clause(source, null, null, "compilation error: " + wrong.getMessage()));
            }
        }
        return clauses;
    }

    private static Expression message(JsonNode source, PolicyScopes scopes) throws CompileException {
        String text = source.path("messageExpression").asText("");
        return text.isBlank() ? null : scopes.ofMessages().compile(text);
    }

    private List<Clause> mutations(PolicyScopes scopes) {
        List<Clause> clauses = new ArrayList<>();
        for (JsonNode source : spec.path("mutations")) {
            try {
                clauses.add(new Clause(source, mutation(source, scopes.whole()), null, ""));
            } catch (CompileException wrong) {
                clauses.add(new Clause(source, null, null, "compilation error: " + wrong.getMessage()));
            }
        }
        return clauses;
    }

    static Expression mutation(JsonNode source, Scope scope) throws CompileException {
        String form = isJsonPatch(source) ? "jsonPatch" : "applyConfiguration";
        return scope.compileMaking(source.path(form).path("expression").asText());
    }

    static boolean isJsonPatch(JsonNode mutation) {
        return mutation.path("patchType").asText().equals("JSONPatch");
    }
}
