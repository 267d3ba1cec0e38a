package io.argosy.api.selector;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.status.ApiException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A condition on labels, as the {@code labelSelector} parameter or a selector field writes it. */
public record LabelSelector(List<Requirement> requirements) {
    public static final LabelSelector EVERYTHING = new LabelSelector(List.of());

    enum Operator {
        IN,
        NOT_IN,
        EXISTS,
        DOES_NOT_EXIST,
        GREATER,
        LESS
    }

    /** One clause; all clauses of a selector must hold. */
    record Requirement(String key, Operator operator, Set<String> values) {
        boolean matches(Map<String, String> labels) {
            String value = labels.get(key);
            return switch (operator) {
                case IN -> value != null && values.contains(value);
                case NOT_IN -> value == null || !values.contains(value);
                case EXISTS -> value != null;
                case DOES_NOT_EXIST -> value == null;
                case GREATER, LESS -> compares(value);
            };
        }

        private boolean compares(String value) {
            if (value == null) {
                return false;
            }
            try {
                int order = Long.compare(
                        Long.parseLong(value), Long.parseLong(values.iterator().next()));
                return operator == Operator.GREATER ? order > 0 : order < 0;
            } catch (NumberFormatException notANumber) {
                return false;
            }
        }
    }

    public boolean matches(Map<String, String> labels) {
        for (Requirement requirement : requirements) {
            if (!requirement.matches(labels)) {
                return false;
            }
        }
        return true;
    }

    public boolean isEverything() {
        return requirements.isEmpty();
    }

    /** Parses the URL form: {@code app=web,tier!=db,env in (a,b),!canary,size>3}. */
    public static LabelSelector parse(String text) {
        if (text == null || text.isBlank()) {
            return EVERYTHING;
        }
        return new LabelSelector(new LabelSelectorParser(text).parse());
    }

    /** Reads the object form, {@code matchLabels} and {@code matchExpressions}; an absent one selects nothing by itself. */
    public static LabelSelector of(JsonNode selector) {
        List<Requirement> requirements = new ArrayList<>();
        for (Map.Entry<String, JsonNode> label : selector.path("matchLabels").properties()) {
            requirements.add(new Requirement(
                    label.getKey(), Operator.IN, Set.of(label.getValue().asText())));
        }
        for (JsonNode expression : selector.path("matchExpressions")) {
            Set<String> values = new TreeSet<>();
            expression.path("values").forEach(value -> values.add(value.asText()));
            Operator operator = switch (expression.path("operator").asText()) {
                case "In" -> Operator.IN;
                case "NotIn" -> Operator.NOT_IN;
                case "Exists" -> Operator.EXISTS;
                case "DoesNotExist" -> Operator.DOES_NOT_EXIST;
                default ->
                    throw ApiException.badRequest(
                            "\"" + expression.path("operator").asText() + "\" is not a valid label selector operator");
            };
            requirements.add(new Requirement(expression.path("key").asText(), operator, values));
        }
        return new LabelSelector(requirements);
    }
}
