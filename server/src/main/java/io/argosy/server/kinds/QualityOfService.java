package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.quantity.Amount;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How much a pod has asked for and been promised, in one word. */
final class QualityOfService {
    private static final List<String> COMPUTE = List.of("cpu", "memory");

    private final Map<String, Amount> requests = new HashMap<>();
    private final Map<String, Amount> limits = new HashMap<>();
    private boolean limited = true;

    private QualityOfService() {}

    /** What the pod says as a whole goes before what its containers say. */
    static String of(JsonNode spec) {
        QualityOfService quality = new QualityOfService();
        if (spec.path("resources").isObject()) {
            JsonNode limits = spec.path("resources").path("limits");
            quality.count(spec.path("resources"), !limits.isEmpty());
        } else {
            for (String list : List.of("initContainers", "containers")) {
                for (ObjectNode container : objects(spec, list)) {
                    quality.count(container.path("resources"), true);
                }
            }
        }
        return quality.word();
    }

    private void count(JsonNode resources, boolean mustLimit) {
        add(resources.path("requests"), requests);
        int found = add(resources.path("limits"), limits);
        limited &= !mustLimit || found == COMPUTE.size();
    }

    /** Nothing of a resource is as good as not having said it. */
    private static int add(JsonNode amounts, Map<String, Amount> to) {
        int found = 0;
        for (String resource : COMPUTE) {
            Amount amount = Amount.parse(amounts.path(resource).asText("")).orElse(Amount.ZERO);
            if (amount.isPositive()) {
                to.merge(resource, amount, Amount::plus);
                found++;
            }
        }
        return found;
    }

    private String word() {
        if (requests.isEmpty() && limits.isEmpty()) {
            return "BestEffort";
        }
        boolean equal = requests.size() == limits.size()
                && requests.entrySet().stream()
                        .allMatch(request -> limits.containsKey(request.getKey())
                                && limits.get(request.getKey()).compareTo(request.getValue()) == 0);
        return limited && equal ? "Guaranteed" : "Burstable";
    }
}
