package io.argosy.api.quota;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.GroupResource;
import io.argosy.api.quantity.Amount;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A namespace's limits, and which objects they are for. */
public final class Quota {
    private static final GroupResource PODS = new GroupResource("", "pods");
    private static final GroupResource CLAIMS = new GroupResource("", "persistentvolumeclaims");
    private static final Set<String> ANY = Set.of();

    private Quota() {}

    /** The amounts under a field such as {@code spec.hard} or {@code status.used}. */
    public static Map<String, Amount> amounts(JsonNode written) {
        return PodAmounts.amounts(written);
    }

    /** Whether the quota is for this object: one with scopes is for pods and claims alone, and for those within all of them. */
    public static boolean covers(JsonNode spec, GroupResource resource, JsonNode object) {
        for (JsonNode scope : spec.path("scopes")) {
            if (!isWithin(scope.asText(), "Exists", ANY, resource, object)) {
                return false;
            }
        }
        for (JsonNode expression : spec.at("/scopeSelector/matchExpressions")) {
            Set<String> values = new HashSet<>();
            expression.path("values").forEach(value -> values.add(value.asText()));
            String scope = expression.path("scopeName").asText();
            if (!isWithin(scope, expression.path("operator").asText(), values, resource, object)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isWithin(
            String scope, String operator, Set<String> values, GroupResource resource, JsonNode object) {
        JsonNode spec = object.path("spec");
        if (resource.equals(CLAIMS)) {
            return scope.equals("VolumeAttributesClass") && fits(operator, values, volumeAttributesClasses(object));
        }
        if (!resource.equals(PODS)) {
            return false;
        }
        return switch (scope) {
            case "Terminating" -> isTerminating(object);
            case "NotTerminating" -> !isTerminating(object);
            case "BestEffort" -> isBestEffort(spec);
            case "NotBestEffort" -> !isBestEffort(spec);
            case "PriorityClass" -> {
                String name = spec.path("priorityClassName").asText();
                yield fits(operator, values, name.isEmpty() ? Set.of() : Set.of(name));
            }
            case "CrossNamespacePodAffinity" -> looksElsewhere(spec);
            default -> false;
        };
    }

    /** Whether one of the names is as it should be, or their absence is. */
    private static boolean fits(String operator, Set<String> values, Set<String> names) {
        return switch (operator) {
            case "In" -> names.stream().anyMatch(values::contains);
            case "NotIn" -> names.isEmpty() || names.stream().anyMatch(name -> !values.contains(name));
            case "Exists" -> !names.isEmpty();
            case "DoesNotExist" -> names.isEmpty();
            default -> false;
        };
    }

    /** Whether the pod's time is limited. */
    public static boolean isTerminating(JsonNode pod) {
        return pod.path("spec").hasNonNull("activeDeadlineSeconds");
    }

    /** The classes that a claim has, wants, and is on its way to. */
    public static Set<String> volumeAttributesClasses(JsonNode claim) {
        Set<String> names = new HashSet<>();
        names.add(claim.at("/spec/volumeAttributesClassName").asText());
        names.add(claim.at("/status/currentVolumeAttributesClassName").asText());
        names.add(claim.at("/status/modifyVolumeStatus/targetVolumeAttributesClassName")
                .asText());
        names.remove("");
        return names;
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
