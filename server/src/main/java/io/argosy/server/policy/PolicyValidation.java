package io.argosy.server.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cel.common.types.SimpleType;
import io.argosy.api.names.Names;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.cel.Expressions.CompileException;
import io.argosy.server.cel.Expressions.Expression;
import io.argosy.server.cel.Reserved;
import io.argosy.server.dynamic.MatchValidation;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** The rules for policies. */
final class PolicyValidation {
    private static final List<String> REASONS = List.of("Forbidden", "Invalid", "RequestEntityTooLarge");
    private static final Pattern LINE_BREAK = Pattern.compile("[\\n\\r]");
    private static final int MAX_ANNOTATIONS = 20;
    private static final int MAX_VALUE_EXPRESSION = 5 * 1024;

    private final ObjectNode policy;
    private final JsonNode spec;
    private final JsonNode before;
    private final FieldErrors errors;
    private final MatchValidation match;

    /** Made when the first expression asks for it. */
    private PolicyScopes scopes;

    PolicyValidation(ObjectNode policy, ObjectNode before, FieldErrors errors) {
        this.policy = policy;
        this.spec = policy.path("spec");
        this.before = before == null ? MissingNode.getInstance() : before.path("spec");
        this.errors = errors;
        this.match = new MatchValidation(errors);
    }

    void check(boolean mutating) {
        match.supported(spec, "failurePolicy", "spec", List.of("Fail", "Ignore"));
        if (spec.path("paramKind").isObject()) {
            paramKind(spec.path("paramKind"));
        }
        JsonNode constraints = spec.path("matchConstraints");
        if (!constraints.isObject()) {
            errors.required("spec.matchConstraints", "");
        } else {
            resources(match, constraints, "spec.matchConstraints");
            if (constraints.path("resourceRules").isEmpty()) {
                errors.required("spec.matchConstraints.resourceRules", "");
            }
            if (mutating) {
                mutable(match, constraints, "spec.matchConstraints");
            }
        }
        boolean sameParams = spec.path("paramKind").equals(before.path("paramKind"));
        match.conditions(
                spec.path("matchConditions"),
                sameParams ? before.path("matchConditions") : MissingNode.getInstance(),
                "spec.matchConditions",
                () -> new PolicyScopes(spec).ofConditions());
        variables();
        if (mutating) {
            mutations();
        } else {
            validations();
        }
    }

    static void resources(MatchValidation match, JsonNode resources, String path) {
        match.supported(resources, "matchPolicy", path, List.of("Equivalent", "Exact"));
        match.selector(resources.path("namespaceSelector"), path + ".namespaceSelector");
        match.selector(resources.path("objectSelector"), path + ".objectSelector");
        match.rules(resources.path("resourceRules"), path + ".resourceRules");
        match.rules(resources.path("excludeResourceRules"), path + ".excludeResourceRules");
    }

    /** What a policy that changes objects can be about. */
    static void mutable(MatchValidation match, JsonNode resources, String path) {
        match.changing(resources.path("resourceRules"), path + ".resourceRules");
    }

    private void paramKind(JsonNode kind) {
        String version = kind.path("apiVersion").asText("");
        if (version.isEmpty()) {
            errors.required("spec.paramKind.apiVersion", "");
        } else if (version.indexOf('/') != version.lastIndexOf('/')) {
            errors.invalid("spec.paramKind.apiVersion", version, "unexpected GroupVersion string: " + version);
        } else {
            groupVersion(version);
        }
        String name = kind.path("kind").asText("");
        if (name.isEmpty()) {
            errors.required("spec.paramKind.kind", "");
        } else {
            Names.label1035Error(name.toLowerCase(Locale.ROOT))
                    .ifPresent(error -> errors.invalid(
                            "spec.paramKind.kind", name, "may have mixed case, but should otherwise match: " + error));
        }
    }

    private void groupVersion(String version) {
        String path = "spec.paramKind.apiVersion";
        int slash = version.indexOf('/');
        String group = slash < 0 ? "" : version.substring(0, slash);
        String rest = version.substring(slash + 1);
        if (!group.isEmpty()) {
            Names.subdomainError(group).ifPresent(error -> errors.invalid(path, group, error));
        }
        if (rest.isEmpty()) {
            errors.invalid(path, version, "version must be specified");
        } else {
            Names.label1035Error(rest).ifPresent(error -> errors.invalid(path, rest, error));
        }
    }

    private PolicyScopes scopes() {
        if (scopes == null) {
            scopes = new PolicyScopes(spec).compile();
        }
        return scopes;
    }

    private void variables() {
        JsonNode variables = spec.path("variables");
        for (int i = 0; i < variables.size(); i++) {
            String path = "spec.variables[" + i + "]";
            String name = variables.get(i).path("name").asText("");
            if (name.isBlank()) {
                errors.required(path + ".name", "name is not specified");
            } else if (!name.matches("[_a-zA-Z][_a-zA-Z0-9]*") || Reserved.is(name)) {
                errors.invalid(path + ".name", name, "must be a valid CEL identifier");
            }
            String expression = variables.get(i).path("expression").asText("");
            if (expression.isBlank()) {
                errors.required(path + ".expression", "expression is not specified");
            } else if (scopes().errors().containsKey(name)) {
                errors.invalid(
                        path + ".expression", expression, scopes().errors().get(name));
            }
        }
    }

    private void validations() {
        JsonNode validations = spec.path("validations");
        JsonNode annotations = spec.path("auditAnnotations");
        if (validations.isEmpty() && annotations.isEmpty()) {
            String least = "validations or auditAnnotations must contain at least one item";
            errors.required("spec.validations", least);
            errors.required("spec.auditAnnotations", least);
        }
        for (int i = 0; i < validations.size(); i++) {
            validation(validations.get(i), "spec.validations[" + i + "]");
        }
        if (annotations.size() > MAX_ANNOTATIONS) {
            errors.invalid(
                    "spec.auditAnnotations",
                    annotations,
                    "must not have more than " + MAX_ANNOTATIONS + " auditAnnotations");
        }
        Set<String> keys = new HashSet<>();
        for (int i = 0; i < annotations.size(); i++) {
            annotation(annotations.get(i), "spec.auditAnnotations[" + i + "]");
            String key = annotations.get(i).path("key").asText("");
            if (!keys.add(key)) {
                errors.duplicate("spec.auditAnnotations[" + i + "].key", key);
            }
        }
    }

    private void validation(JsonNode validation, String path) {
        String expression = validation.path("expression").asText("");
        if (expression.isBlank()) {
            errors.required(path + ".expression", "expression is not specified");
        } else {
            match.truth(expression, path + ".expression", scopes().whole());
        }
        messageExpression(validation.path("messageExpression").asText(""), path + ".messageExpression");
        String message = validation.path("message").asText("");
        if (!message.isEmpty() && message.isBlank()) {
            errors.invalid(path + ".message", message, "must be non-empty if specified");
        } else if (LINE_BREAK.matcher(message.strip()).find()) {
            errors.invalid(path + ".message", message, "must not contain line breaks");
        }
        match.supported(validation, "reason", path, REASONS);
    }

    private void messageExpression(String expression, String path) {
        if (expression.isEmpty()) {
            return;
        }
        if (expression.isBlank()) {
            errors.invalid(path, expression, "must be non-empty if specified");
            return;
        }
        try {
            Expression compiled = scopes().ofMessages().compile(expression);
            if (!compiled.resultType().equals(SimpleType.STRING)
                    && !compiled.resultType().equals(SimpleType.DYN)) {
                errors.invalid(path, expression, "must evaluate to string but got " + compiled.shownType());
            }
        } catch (CompileException wrong) {
            errors.invalid(path, expression, wrong.getMessage());
        }
    }

    private void annotation(JsonNode annotation, String path) {
        String key = annotation.path("key").asText("");
        String name = policy.path("metadata").path("name").asText("");
        Names.qualifiedNameError(name + "/" + key)
                .ifPresent(error -> errors.invalid(path + ".key", name + "/" + key, error));
        String expression = annotation.path("valueExpression").asText("");
        if (expression.isBlank()) {
            errors.required(path + ".valueExpression", "valueExpression is not specified");
        } else if (expression.strip().length() > MAX_VALUE_EXPRESSION) {
            errors.required(path + ".valueExpression", "must not exceed " + MAX_VALUE_EXPRESSION + " bytes in length");
        } else {
            try {
                Expression compiled = scopes().whole().compile(expression);
                boolean usable = List.of(SimpleType.STRING, SimpleType.DYN, SimpleType.NULL_TYPE)
                        .contains(compiled.resultType());
                if (!usable) {
                    errors.invalid(
                            path + ".valueExpression",
                            expression,
                            "must evaluate to one of [string null_type] but got " + compiled.shownType());
                }
            } catch (CompileException wrong) {
                errors.invalid(path + ".valueExpression", expression, wrong.getMessage());
            }
        }
    }

    private void mutations() {
        JsonNode mutations = spec.path("mutations");
        if (mutations.isEmpty()) {
            errors.required("spec.mutations", "mutations must contain at least one item");
        }
        for (int i = 0; i < mutations.size(); i++) {
            mutation(mutations.get(i), "spec.mutations[" + i + "]");
        }
        if (spec.path("reinvocationPolicy").asText("").isEmpty()) {
            errors.required("spec.reinvocationPolicy", "");
        } else {
            match.supported(spec, "reinvocationPolicy", "spec", List.of("IfNeeded", "Never"));
        }
    }

    private void mutation(JsonNode mutation, String path) {
        String type = mutation.path("patchType").asText("");
        if (type.isEmpty()) {
            errors.required(path + ".patchType", "");
            return;
        }
        if (!List.of("ApplyConfiguration", "JSONPatch").contains(type)) {
            errors.notSupported(path + ".patchType", type, List.of("ApplyConfiguration", "JSONPatch"));
            return;
        }
        String form = type.equals("JSONPatch") ? "jsonPatch" : "applyConfiguration";
        String other = type.equals("JSONPatch") ? "applyConfiguration" : "jsonPatch";
        if (mutation.hasNonNull(form)) {
            patch(
                    mutation,
                    path + "." + form + ".expression",
                    mutation.path(form).path("expression").asText(""));
        } else {
            errors.required(path + "." + form, "must be specified when patchType is " + type);
        }
        if (mutation.hasNonNull(other)) {
            errors.invalid(path + "." + other, "{" + other + "}", "must not be specified when patchType is " + type);
        }
    }

    private void patch(JsonNode mutation, String path, String expression) {
        if (expression.isBlank()) {
            errors.required(path, "");
            return;
        }
        try {
            Policy.mutation(mutation, scopes().whole());
        } catch (CompileException wrong) {
            errors.invalid(path, expression, wrong.getMessage());
        }
    }
}
