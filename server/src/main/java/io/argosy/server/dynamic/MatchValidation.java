package io.argosy.server.dynamic;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.names.Names;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.cel.Expressions.CompileException;
import io.argosy.server.cel.Expressions.Expression;
import io.argosy.server.cel.Expressions.Scope;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** The rules for what webhooks and policies say of the writes they are about. */
public final class MatchValidation {
    private static final List<String> OPERATIONS = List.of("*", "CONNECT", "CREATE", "DELETE", "UPDATE");
    private static final List<String> CHANGING = List.of("*", "CONNECT", "CREATE", "UPDATE");
    private static final List<String> SCOPES = List.of("*", "Cluster", "Namespaced");
    private static final int MAX_CONDITIONS = 64;

    private final FieldErrors errors;

    public MatchValidation(FieldErrors errors) {
        this.errors = errors;
    }

    /** A value that must be one of some, where it is there at all. */
    public void supported(JsonNode parent, String field, String path, List<String> values) {
        JsonNode value = parent.path(field);
        if (!value.isMissingNode() && !values.contains(value.asText())) {
            errors.notSupported(path + "." + field, value.asText(), values);
        }
    }

    public void rules(JsonNode rules, String path) {
        for (int i = 0; i < rules.size(); i++) {
            rule(rules.get(i), path + "[" + i + "]");
        }
    }

    /** What is deleted can be judged, but not changed. */
    public void changing(JsonNode rules, String path) {
        for (JsonNode rule : rules) {
            for (JsonNode operation : rule.path("operations")) {
                if (!CHANGING.contains(operation.asText())) {
                    errors.notSupported(path + ".operations", operation.asText(), CHANGING);
                }
            }
        }
    }

    private void rule(JsonNode rule, String path) {
        names(rule.path("resourceNames"), path + ".resourceNames");
        required(rule, "operations", path);
        wildcard(rule.path("operations"), path + ".operations", "operations");
        for (int i = 0; i < rule.path("operations").size(); i++) {
            String operation = rule.path("operations").get(i).asText();
            if (!OPERATIONS.contains(operation)) {
                errors.notSupported(path + ".operations[" + i + "]", operation, OPERATIONS);
            }
        }
        required(rule, "apiGroups", path);
        wildcard(rule.path("apiGroups"), path + ".apiGroups", "API groups");
        required(rule, "apiVersions", path);
        wildcard(rule.path("apiVersions"), path + ".apiVersions", "API versions");
        for (int i = 0; i < rule.path("apiVersions").size(); i++) {
            if (rule.path("apiVersions").get(i).asText().isEmpty()) {
                errors.required(path + ".apiVersions[" + i + "]", "");
            }
        }
        resources(rule.path("resources"), path + ".resources");
        supported(rule, "scope", path, SCOPES);
    }

    private void names(JsonNode names, String path) {
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i).asText();
            String at = path + "[" + i + "]";
            Names.pathSegmentError(name).ifPresent(error -> errors.invalid(at, name, error));
            if (!seen.add(name)) {
                errors.duplicate(at, name);
            }
        }
    }

    private void required(JsonNode rule, String field, String path) {
        if (rule.path(field).isEmpty()) {
            errors.required(path + "." + field, "");
        }
    }

    private void wildcard(JsonNode list, String path, String what) {
        List<String> values = texts(list);
        if (values.size() > 1 && values.contains("*")) {
            errors.invalid(path, list, "if '*' is present, must not specify other " + what);
        }
    }

    private void resources(JsonNode resources, String path) {
        if (resources.isEmpty()) {
            errors.required(path, "");
        }
        Set<String> allParts = new HashSet<>();
        Set<String> ofAll = new HashSet<>();
        boolean plain = false;
        for (int i = 0; i < resources.size(); i++) {
            String resource = resources.get(i).asText();
            String at = path + "[" + i + "]";
            if (resource.isEmpty()) {
                errors.required(at, "");
                continue;
            }
            int slash = resource.indexOf('/');
            if (slash < 0) {
                plain = !resource.equals("*");
                continue;
            }
            String name = resource.substring(0, slash);
            String part = resource.substring(slash + 1);
            if (allParts.contains(name)) {
                errors.invalid(at, resource, "if '" + name + "/*' is present, must not specify " + resource);
            }
            if (ofAll.contains(part)) {
                errors.invalid(at, resource, "if '*/" + part + "' is present, must not specify " + resource);
            }
            if (part.equals("*")) {
                allParts.add(name);
            }
            if (name.equals("*")) {
                ofAll.add(part);
            }
        }
        List<String> all = texts(resources);
        if (all.size() > 1 && all.contains("*/*")) {
            errors.invalid(path, resources, "if '*/*' is present, must not specify other resources");
        }
        if (all.contains("*") && plain) {
            errors.invalid(path, resources, "if '*' is present, must not specify other resources without subresources");
        }
    }

    public void selector(JsonNode selector, String path) {
        selector.path("matchLabels").properties().forEach(label -> {
            String at = path + ".matchLabels";
            Names.qualifiedNameError(label.getKey()).ifPresent(error -> errors.invalid(at, label.getKey(), error));
            String value = label.getValue().asText();
            Names.labelValueError(value).ifPresent(error -> errors.invalid(at, value, error));
        });
        JsonNode expressions = selector.path("matchExpressions");
        for (int i = 0; i < expressions.size(); i++) {
            expression(expressions.get(i), path + ".matchExpressions[" + i + "]");
        }
    }

    private void expression(JsonNode expression, String path) {
        boolean valued = !expression.path("values").isEmpty();
        String operator = expression.path("operator").asText("");
        switch (operator) {
            case "In", "NotIn" -> {
                if (!valued) {
                    errors.required(path + ".values", "must be specified when `operator` is 'In' or 'NotIn'");
                }
            }
            case "Exists", "DoesNotExist" -> {
                if (valued) {
                    errors.forbidden(
                            path + ".values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
                }
            }
            default -> errors.invalid(path + ".operator", operator, "not a valid selector operator");
        }
        String key = expression.path("key").asText("");
        Names.qualifiedNameError(key).ifPresent(error -> errors.invalid(path + ".key", key, error));
        for (int i = 0; i < expression.path("values").size(); i++) {
            String value = expression.path("values").get(i).asText();
            String at = path + ".values[" + i + "]";
            Names.labelValueError(value).ifPresent(error -> errors.invalid(at, value, error));
        }
    }

    /** Conditions that were there before are not doubted again. */
    public void conditions(JsonNode conditions, JsonNode before, String path, Supplier<Scope> scope) {
        if (conditions.isEmpty() || conditions.equals(before)) {
            return;
        }
        if (conditions.size() > MAX_CONDITIONS) {
            errors.tooMany(path, conditions.size(), MAX_CONDITIONS);
        }
        Set<String> names = new HashSet<>();
        for (int i = 0; i < conditions.size(); i++) {
            JsonNode condition = conditions.get(i);
            String at = path + "[" + i + "]";
            String text = condition.path("expression").asText("").strip();
            if (text.isEmpty()) {
                errors.required(at + ".expression", "");
            } else {
                truth(text, at + ".expression", scope.get());
            }
            String name = condition.path("name").asText("");
            if (name.isEmpty()) {
                errors.required(at + ".name", "");
            } else {
                Names.qualifiedNameError(name).ifPresent(error -> errors.invalid(at + ".name", name, error));
                if (!names.add(name)) {
                    errors.duplicate(at + ".name", name);
                }
            }
        }
    }

    /** The expression must compile, and be true or false. */
    public void truth(String expression, String path, Scope scope) {
        try {
            Expression compiled = scope.compile(expression);
            if (!Conditions.isTruth(compiled)) {
                errors.invalid(path, expression, "must evaluate to bool but got " + compiled.shownType());
            }
        } catch (CompileException wrong) {
            errors.invalid(path, expression, wrong.getMessage());
        }
    }

    static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        list.forEach(one -> texts.add(one.asText()));
        return texts;
    }
}
