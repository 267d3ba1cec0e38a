package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/** What stays in the status of a pod although a report leaves it out, because older nodes do not know of it. */
final class PodReports {
    private static final String OBSERVED = "observedGeneration";

    private PodReports() {}

    static void keep(ObjectNode status, JsonNode before) {
        if (status.path("qosClass").asText("").isEmpty() && before.has("qosClass")) {
            status.set("qosClass", before.get("qosClass"));
        }
        keepObserved(status, before.path(OBSERVED));
        Map<String, Deque<JsonNode>> observed = new HashMap<>();
        for (ObjectNode condition : objects(before, "conditions")) {
            observed.computeIfAbsent(condition.path("type").asText(), type -> new ArrayDeque<>())
                    .add(condition.path(OBSERVED));
        }
        for (ObjectNode condition : objects(status, "conditions")) {
            Deque<JsonNode> known = observed.get(condition.path("type").asText());
            if (known != null && !known.isEmpty()) {
                keepObserved(condition, known.remove());
            }
        }
    }

    private static void keepObserved(ObjectNode now, JsonNode before) {
        if (now.path(OBSERVED).asLong(0) == 0 && before.asLong(0) != 0) {
            now.set(OBSERVED, before);
        }
    }
}
