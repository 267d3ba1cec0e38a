package io.argosy.scheduler.state;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A label selector as a value: equal selectors share one count of the pods they match. */
public record Selector(boolean matchesNothing, List<Requirement> requirements) {
    public static final Selector EVERYTHING = new Selector(false, List.of());
    public static final Selector NOTHING = new Selector(true, List.of());

    /** What one label must be. */
    public record Requirement(String key, Operator operator, Set<String> values) {
        boolean holds(Map<String, String> labels) {
            String value = labels.get(key);
            return switch (operator) {
                case IN -> value != null && values.contains(value);
                case NOT_IN -> value == null || !values.contains(value);
                case EXISTS -> value != null;
                case DOES_NOT_EXIST -> value == null;
            };
        }
    }

    /** The four things a selector can say about a label. */
    public enum Operator {
        IN,
        NOT_IN,
        EXISTS,
        DOES_NOT_EXIST;

        static Operator of(String name) {
            return switch (name) {
                case "In" -> IN;
                case "NotIn" -> NOT_IN;
                case "Exists" -> EXISTS;
                case "DoesNotExist" -> DOES_NOT_EXIST;
                default ->
                    throw new IllegalArgumentException("\"" + name + "\" is not a valid label selector operator");
            };
        }
    }

    /** A selector that is not there matches nothing, an empty one everything. */
    public static Selector of(LabelSelector selector) {
        if (selector == null) {
            return NOTHING;
        }
        Selector result = ofLabels(selector.getMatchLabels());
        if (selector.getMatchExpressions() == null
                || selector.getMatchExpressions().isEmpty()) {
            return result;
        }
        List<Requirement> all = new ArrayList<>(result.requirements);
        for (LabelSelectorRequirement expression : selector.getMatchExpressions()) {
            all.add(new Requirement(
                    expression.getKey(),
                    Operator.of(expression.getOperator()),
                    expression.getValues() == null ? Set.of() : Set.copyOf(expression.getValues())));
        }
        return new Selector(false, List.copyOf(all));
    }

    /** Every pair must be there. */
    public static Selector ofLabels(Map<String, String> labels) {
        if (labels == null || labels.isEmpty()) {
            return EVERYTHING;
        }
        return new Selector(
                false,
                labels.entrySet().stream()
                        .sorted(Map.Entry.comparingByKey())
                        .map(pair -> new Requirement(pair.getKey(), Operator.IN, Set.of(pair.getValue())))
                        .toList());
    }

    public Selector and(Selector other) {
        if (matchesNothing || other.matchesNothing) {
            return NOTHING;
        }
        if (other.requirements.isEmpty() || equals(other)) {
            return this;
        }
        List<Requirement> all = new ArrayList<>(requirements);
        other.requirements.stream().filter(one -> !all.contains(one)).forEach(all::add);
        return new Selector(false, List.copyOf(all));
    }

    /** Also demands, for each of the keys that the labels have, the same value, or any other. */
    Selector andLike(Map<String, String> labels, List<String> keys, Operator operator) {
        Selector result = this;
        if (keys != null) {
            for (String key : keys) {
                String value = labels.get(key);
                if (value != null) {
                    result = result.and(new Selector(false, List.of(new Requirement(key, operator, Set.of(value)))));
                }
            }
        }
        return result;
    }

    /** True when it says nothing at all about labels. */
    public boolean isEmpty() {
        return !matchesNothing && requirements.isEmpty();
    }

    public boolean matches(Map<String, String> labels) {
        if (matchesNothing) {
            return false;
        }
        for (Requirement requirement : requirements) {
            if (!requirement.holds(labels)) {
                return false;
            }
        }
        return true;
    }
}
