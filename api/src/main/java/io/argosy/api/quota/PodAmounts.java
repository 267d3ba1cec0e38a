package io.argosy.api.quota;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.quantity.Amount;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** What a pod asks for as a whole: its containers and sidecars together, or more while it starts, and its overhead. */
public final class PodAmounts {
    private PodAmounts() {}

    /** The amounts under {@code requests} or {@code limits}. */
    public static Map<String, Amount> of(JsonNode podSpec, String which) {
        return of(podSpec, which, container -> resources(container, which));
    }

    /** The same of a pod that may be in the middle of a resize: what it has counts until it is given back. */
    public static Map<String, Amount> ofPod(JsonNode pod, String which) {
        Map<String, JsonNode> statuses = new HashMap<>();
        for (String list : new String[] {"containerStatuses", "initContainerStatuses"}) {
            pod.path("status")
                    .path(list)
                    .forEach(status -> statuses.put(status.path("name").asText(), status));
        }
        boolean infeasible = isResizeInfeasible(pod);
        return of(pod.path("spec"), which, container -> {
            JsonNode status = statuses.get(container.path("name").asText());
            return status == null || !status.hasNonNull("resources")
                    ? resources(container, which)
                    : effective(container, status, which, infeasible);
        });
    }

    private static Map<String, Amount> effective(
            JsonNode container, JsonNode status, String which, boolean infeasible) {
        Map<String, Amount> most = resources(status, which);
        if (which.equals("requests")) {
            highest(most, amounts(status.path("allocatedResources")));
        }
        if (!infeasible) {
            highest(most, resources(container, which));
        }
        return most;
    }

    private static boolean isResizeInfeasible(JsonNode pod) {
        for (JsonNode condition : pod.path("status").path("conditions")) {
            if (condition.path("type").asText().equals("PodResizePending")) {
                return condition.path("reason").asText().equals("Infeasible");
            }
        }
        return false;
    }

    private static Map<String, Amount> of(
            JsonNode podSpec, String which, Function<JsonNode, Map<String, Amount>> asked) {
        Map<String, Amount> running = new TreeMap<>();
        podSpec.path("containers").forEach(container -> add(running, asked.apply(container)));
        Map<String, Amount> sidecars = new TreeMap<>();
        Map<String, Amount> starting = new TreeMap<>();
        for (JsonNode container : podSpec.path("initContainers")) {
            if (container.path("restartPolicy").asText().equals("Always")) {
                add(sidecars, asked.apply(container));
                highest(starting, sidecars);
            } else {
                Map<String, Amount> together = new TreeMap<>(sidecars);
                add(together, resources(container, which));
                highest(starting, together);
            }
        }
        add(running, sidecars);
        highest(running, starting);
        running.putAll(resources(podSpec, which));
        if (which.equals("requests")) {
            add(running, amounts(podSpec.path("overhead")));
        } else {
            amounts(podSpec.path("overhead"))
                    .forEach((name, amount) -> running.computeIfPresent(
                            name, (same, limit) -> limit.isPositive() ? limit.plus(amount) : limit));
        }
        return running;
    }

    /** What one container asks for. */
    public static Map<String, Amount> resources(JsonNode container, String which) {
        return amounts(container.path("resources").path(which));
    }

    /** Whether the pod itself says what it asks for, above its containers. */
    public static boolean isAskingAsAWhole(JsonNode podSpec) {
        return !podSpec.path("resources").path("requests").isEmpty()
                || !podSpec.path("resources").path("limits").isEmpty();
    }

    static Map<String, Amount> amounts(JsonNode written) {
        Map<String, Amount> amounts = new TreeMap<>();
        written.properties()
                .forEach(entry -> Amount.parse(entry.getValue().asText())
                        .ifPresent(amount -> amounts.put(entry.getKey(), amount)));
        return amounts;
    }

    private static void add(Map<String, Amount> sum, Map<String, Amount> more) {
        more.forEach((name, amount) -> sum.merge(name, amount, Amount::plus));
    }

    private static void highest(Map<String, Amount> most, Map<String, Amount> other) {
        other.forEach((name, amount) -> most.merge(name, amount, Amount::max));
    }
}
