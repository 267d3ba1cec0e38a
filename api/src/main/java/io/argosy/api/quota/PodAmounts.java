package io.argosy.api.quota;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.quantity.Amount;
import java.util.Map;
import java.util.TreeMap;

/** What a pod asks for as a whole: its containers and sidecars together, or more while it starts, and its overhead. */
public final class PodAmounts {
    private PodAmounts() {}

    /** The amounts under {@code requests} or {@code limits}. */
    public static Map<String, Amount> of(JsonNode podSpec, String which) {
        Map<String, Amount> running = new TreeMap<>();
        podSpec.path("containers").forEach(container -> add(running, resources(container, which)));
        Map<String, Amount> sidecars = new TreeMap<>();
        Map<String, Amount> starting = new TreeMap<>();
        for (JsonNode container : podSpec.path("initContainers")) {
            Map<String, Amount> own = resources(container, which);
            if (container.path("restartPolicy").asText().equals("Always")) {
                add(sidecars, own);
                highest(starting, sidecars);
            } else {
                Map<String, Amount> together = new TreeMap<>(sidecars);
                add(together, own);
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
                    .forEach((name, amount) -> running.computeIfPresent(name, (same, limit) -> limit.plus(amount)));
        }
        return running;
    }

    /** What one container asks for. */
    public static Map<String, Amount> resources(JsonNode container, String which) {
        return amounts(container.path("resources").path(which));
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
