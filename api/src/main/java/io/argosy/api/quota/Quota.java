package io.argosy.api.quota;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.GroupResource;
import io.argosy.api.quantity.Amount;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** A namespace's limits, and which objects they are for. */
public final class Quota {
    private static final GroupResource PODS = new GroupResource("", "pods");

    private Quota() {}

    /** The amounts under a field such as {@code spec.hard} or {@code status.used}. */
    public static Map<String, Amount> amounts(JsonNode written) {
        return PodAmounts.amounts(written);
    }

    /** Whether the quota is for this object: one with scopes is for pods alone, and for those within all of them. */
    public static boolean covers(JsonNode spec, GroupResource resource, JsonNode object) {
        if (spec.path("scopes").isEmpty()
                && spec.at("/scopeSelector/matchExpressions").isEmpty()) {
            return true;
        }
        if (!resource.equals(PODS)) {
            return false;
        }
        for (JsonNode scope : spec.path("scopes")) {
            if (!isWithin(scope.asText(), object)) {
                return false;
            }
        }
        for (JsonNode expression : spec.at("/scopeSelector/matchExpressions")) {
            if (!fits(expression, object)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isWithin(String scope, JsonNode pod) {
        JsonNode spec = pod.path("spec");
        return switch (scope) {
            case "Terminating" -> spec.hasNonNull("activeDeadlineSeconds");
            case "NotTerminating" -> !spec.hasNonNull("activeDeadlineSeconds");
            case "BestEffort" -> isBestEffort(spec);
            case "NotBestEffort" -> !isBestEffort(spec);
            case "PriorityClass" -> !spec.path("priorityClassName").asText().isEmpty();
            case "CrossNamespacePodAffinity" -> looksElsewhere(spec);
            default -> false;
        };
    }

    private static boolean fits(JsonNode expression, JsonNode pod) {
        String scope = expression.path("scopeName").asText();
        String operator = expression.path("operator").asText();
        if (!scope.equals("PriorityClass")) {
            return isWithin(scope, pod) == !operator.equals("DoesNotExist");
        }
        String priorityClass = pod.path("spec").path("priorityClassName").asText();
        boolean listed = false;
        for (JsonNode value : expression.path("values")) {
            listed |= value.asText().equals(priorityClass);
        }
        return switch (operator) {
            case "In" -> listed;
            case "NotIn" -> !listed;
            case "Exists" -> !priorityClass.isEmpty();
            case "DoesNotExist" -> priorityClass.isEmpty();
            default -> false;
        };
    }

    private static boolean isBestEffort(JsonNode spec) {
        boolean asks = isAsking(spec);
        for (String list : new String[] {"containers", "initContainers"}) {
            for (JsonNode container : spec.path(list)) {
                asks |= isAsking(container);
            }
        }
        return !asks;
    }

    private static boolean isAsking(JsonNode node) {
        for (String which : new String[] {"requests", "limits"}) {
            for (String name : new String[] {"cpu", "memory"}) {
                Amount amount = PodAmounts.resources(node, which).get(name);
                if (amount != null && amount.isPositive()) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean looksElsewhere(JsonNode spec) {
        for (String kind : new String[] {"podAffinity", "podAntiAffinity"}) {
            JsonNode affinity = spec.path("affinity").path(kind);
            for (JsonNode term : affinity.path("requiredDuringSchedulingIgnoredDuringExecution")) {
                if (namesOthers(term)) {
                    return true;
                }
            }
            for (JsonNode term : affinity.path("preferredDuringSchedulingIgnoredDuringExecution")) {
                if (namesOthers(term.path("podAffinityTerm"))) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean namesOthers(JsonNode term) {
        return !term.path("namespaces").isEmpty() || term.hasNonNull("namespaceSelector");
    }

    /** What is used once the change is made: of what the quota limits, and nothing else. */
    public static Map<String, Amount> charged(
            Map<String, Amount> hard, Map<String, Amount> used, Map<String, Amount> change) {
        Map<String, Amount> after = new TreeMap<>();
        for (String name : new TreeSet<>(hard.keySet())) {
            Amount before = used.getOrDefault(name, Amount.ZERO);
            Amount more = change.get(name);
            after.put(name, more == null ? before : before.plus(more));
        }
        return after;
    }
}
