package io.argosy.client;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import java.util.List;
import java.util.Map;

/** Whether labels satisfy a selector as objects carry it: all matchLabels and all matchExpressions. */
public final class LabelSelectors {
    private LabelSelectors() {}

    /** A null selector matches nothing, an empty one everything. */
    public static boolean matches(LabelSelector selector, Map<String, String> labels) {
        if (selector == null) {
            return false;
        }
        Map<String, String> present = labels == null ? Map.of() : labels;
        if (!containsAll(present, selector.getMatchLabels())) {
            return false;
        }
        if (selector.getMatchExpressions() != null) {
            for (LabelSelectorRequirement requirement : selector.getMatchExpressions()) {
                if (!matches(requirement, present)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** The plain form of Services and ReplicationControllers: every pair must be there. */
    public static boolean containsAll(Map<String, String> labels, Map<String, String> wanted) {
        if (wanted == null) {
            return true;
        }
        for (Map.Entry<String, String> pair : wanted.entrySet()) {
            if (labels == null || !pair.getValue().equals(labels.get(pair.getKey()))) {
                return false;
            }
        }
        return true;
    }

    private static boolean matches(LabelSelectorRequirement requirement, Map<String, String> labels) {
        String value = labels.get(requirement.getKey());
        List<String> values = requirement.getValues() == null ? List.of() : requirement.getValues();
        return switch (requirement.getOperator()) {
            case "In" -> value != null && values.contains(value);
            case "NotIn" -> value == null || !values.contains(value);
            case "Exists" -> value != null;
            case "DoesNotExist" -> value == null;
            default ->
                throw new IllegalArgumentException(
                        "\"" + requirement.getOperator() + "\" is not a valid label selector operator");
        };
    }
}
