package io.argosy.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Whether the elements of a configuration's lists can be told apart, as whoever is to own them must be able to. */
public final class Identities {
    private final List<String> faults = new ArrayList<>();

    private Identities() {}

    /** What is wrong, each with the path of the list. */
    public static List<String> faults(JsonNode config, Shape shape) {
        Identities identities = new Identities();
        identities.look(config, shape, "");
        return identities.faults;
    }

    private void look(JsonNode value, Shape shape, String path) {
        switch (shape.form(value)) {
            case STRUCT, MAP, DEDUCED -> {
                for (Map.Entry<String, JsonNode> entry : value.properties()) {
                    PathElement step = PathElement.field(entry.getKey());
                    look(entry.getValue(), shape.below(step), path + step);
                }
            }
            case SET, LIST_MAP -> elements(value, shape, path);
            case LEAF -> {}
        }
    }

    private void elements(JsonNode list, Shape shape, String path) {
        Set<PathElement> seen = new HashSet<>();
        int index = 0;
        for (JsonNode element : list) {
            PathElement step = shape.identify(element);
            if (step == null) {
                faults.add(path + ": element " + index
                        + ": associative list with keys has an element that omits key field (and doesn't have default"
                        + " value)");
                return;
            }
            if (!seen.add(step)) {
                faults.add(path + ": duplicate entries for key " + step);
            }
            look(element, shape.element(), path + step);
            index++;
        }
    }
}
