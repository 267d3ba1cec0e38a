package io.argosy.server.table;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Labels and selectors in the form in which they are typed on a command line. */
final class SelectorText {
    private SelectorText() {}

    /** Labels or a plain selector map: {@code app=web,tier=front}. */
    static String labels(JsonNode labels) {
        String text =
                String.join(",", clauses(labels).stream().map(Clause::text).toList());
        return text.isEmpty() ? Row.NONE : text;
    }

    /** A selector with {@code matchLabels} and {@code matchExpressions}: {@code app=web,env in (a,b),!old}. */
    static String selector(JsonNode selector) {
        String text = plain(selector);
        return text.isEmpty() ? Row.NONE : text;
    }

    /** As above, but empty where nothing is selected by name. */
    static String plain(JsonNode selector) {
        List<Clause> clauses = clauses(selector.path("matchLabels"));
        for (JsonNode expression : selector.path("matchExpressions")) {
            clauses.add(expression(expression));
        }
        clauses.sort(Comparator.comparing(Clause::key));
        return String.join(",", clauses.stream().map(Clause::text).toList());
    }

    private record Clause(String key, String text) {}

    private static List<Clause> clauses(JsonNode labels) {
        List<Clause> clauses = new ArrayList<>();
        for (Map.Entry<String, JsonNode> label : labels.properties()) {
            clauses.add(new Clause(
                    label.getKey(), label.getKey() + "=" + label.getValue().asText()));
        }
        clauses.sort(Comparator.comparing(Clause::key));
        return clauses;
    }

    private static Clause expression(JsonNode expression) {
        String key = expression.path("key").asText();
        TreeSet<String> values = new TreeSet<>();
        expression.path("values").forEach(value -> values.add(value.asText()));
        String list = " (" + String.join(",", values) + ")";
        return new Clause(
                key,
                switch (expression.path("operator").asText()) {
                    case "In" -> key + " in" + list;
                    case "NotIn" -> key + " notin" + list;
                    case "DoesNotExist" -> "!" + key;
                    default -> key;
                });
    }
}
