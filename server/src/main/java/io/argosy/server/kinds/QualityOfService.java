package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** How much a pod has asked for and been promised, in one word. */
final class QualityOfService {
    private static final List<String> COMPUTE = List.of("cpu", "memory");

    private QualityOfService() {}

    static String of(JsonNode spec) {
        boolean anything = false;
        boolean guaranteed = true;
        for (String list : List.of("initContainers", "containers")) {
            for (ObjectNode container : objects(spec, list)) {
                JsonNode resources = container.path("resources");
                for (String resource : COMPUTE) {
                    JsonNode limit = resources.path("limits").path(resource);
                    JsonNode request = resources.path("requests").path(resource);
                    anything |= !limit.isMissingNode() || !request.isMissingNode();
                    guaranteed &= !limit.isMissingNode() && (request.isMissingNode() || request.equals(limit));
                }
            }
        }
        if (!anything) {
            return "BestEffort";
        }
        return guaranteed ? "Guaranteed" : "Burstable";
    }
}
