package io.argosy.controllers.meta;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Selectors of objects as a query writes them, and as messages of Kubernetes do. */
public final class WrittenSelectors {
    private WrittenSelectors() {}

    /** For a query; empty where nothing is selected. */
    public static String query(LabelSelector selector) {
        if (selector == null) {
            return "";
        }
        Map<String, String> clauses = new TreeMap<>();
        labels(selector).forEach((key, value) -> clauses.put(key, key + "=" + value));
        for (LabelSelectorRequirement one : expressions(selector)) {
            String values = one.getValues().stream().sorted().collect(Collectors.joining(",", "(", ")"));
            String clause = switch (one.getOperator()) {
                case "In" -> one.getKey() + " in " + values;
                case "NotIn" -> one.getKey() + " notin " + values;
                case "Exists" -> one.getKey();
                default -> "!" + one.getKey();
            };
            clauses.merge(one.getKey(), clause, (a, b) -> a + "," + b);
        }
        return String.join(",", clauses.values());
    }

    /** For a message. */
    public static String told(LabelSelector selector) {
        if (selector == null) {
            return "nil";
        }
        String labels = labels(selector).entrySet().stream()
                .map(label -> label.getKey() + ": " + label.getValue() + ",")
                .collect(Collectors.joining());
        String expressions = expressions(selector).stream()
                .map(one -> "LabelSelectorRequirement{Key:" + one.getKey() + ",Operator:" + one.getOperator()
                        + ",Values:[" + String.join(" ", one.getValues()) + "],},")
                .collect(Collectors.joining());
        return "&LabelSelector{MatchLabels:map[string]string{" + labels
                + "},MatchExpressions:[]LabelSelectorRequirement{" + expressions + "},}";
    }

    private static Map<String, String> labels(LabelSelector selector) {
        return selector.getMatchLabels() == null ? Map.of() : new TreeMap<>(selector.getMatchLabels());
    }

    private static List<LabelSelectorRequirement> expressions(LabelSelector selector) {
        return selector.getMatchExpressions() == null ? List.of() : selector.getMatchExpressions();
    }
}
