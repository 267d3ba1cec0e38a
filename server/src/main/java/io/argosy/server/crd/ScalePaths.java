package io.argosy.server.crd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
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

    /** What stands there must be a number of replicas. */
    void validate(ObjectNode object, JsonNode scale, FieldErrors errors) {
        replicas(object, wanted, scale.path("specReplicasPath").asText(), errors);
        replicas(object, actual, scale.path("statusReplicasPath").asText(), errors);
    }

    private static void replicas(ObjectNode object, List<String> path, String shown, FieldErrors errors) {
        JsonNode value = path.isEmpty() ? object.path("") : at(object, path);
        if (!value.isIntegralNumber()) {
            return; // what else is there is for the schema to judge
        }
        if (value.asLong() < 0) {
            errors.invalid(shown, value, "should be a non-negative integer");
        } else if (value.asLong() > Integer.MAX_VALUE) {
            errors.invalid(shown, value, "should be less than or equal to " + Integer.MAX_VALUE);
        }
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
