package io.argosy.server.crd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Where in a custom resource its number of replicas stands, wanted and actual, and the selector of its pods. */
public record ScalePaths(List<String> wanted, List<String> actual, List<String> selector) {
    static ScalePaths of(JsonNode scale) {
        return new ScalePaths(
                steps(scale.path("specReplicasPath")),
                steps(scale.path("statusReplicasPath")),
                steps(scale.path("labelSelectorPath")));
    }

    private static List<String> steps(JsonNode path) {
        String text = path.asText("");
        return text.isEmpty() ? List.of() : List.of(text.substring(1).split("\\.", -1));
    }

    public static JsonNode at(JsonNode object, List<String> path) {
        JsonNode value = object;
        for (String step : path) {
            value = value.path(step);
        }
        return value;
    }

    public void setWanted(ObjectNode object, int replicas) {
        ObjectNode parent = object;
        for (String step : wanted.subList(0, wanted.size() - 1)) {
            parent = parent.get(step) instanceof ObjectNode found ? found : parent.putObject(step);
        }
        parent.put(wanted.getLast(), replicas);
    }
}
