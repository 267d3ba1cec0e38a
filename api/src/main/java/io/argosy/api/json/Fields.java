package io.argosy.api.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Reads the fields of a configuration file and names those that are not right. */
public final class Fields {
    private Fields() {}

    public static void require(boolean good, String path, String why) {
        if (!good) {
            throw new IllegalArgumentException(path + ": " + why);
        }
    }

    /** Refuses fields that nobody knows: a rule with a slip of the pen would otherwise be no rule. */
    public static void known(JsonNode node, String path, String... names) {
        if (node == null || node.isMissingNode()) {
            return;
        }
        require(node.isObject(), path.isEmpty() ? "the file" : path, "must be an object");
        Set<String> allowed = Set.of(names);
        node.fieldNames()
                .forEachRemaining(name ->
                        require(allowed.contains(name), path.isEmpty() ? name : path + "." + name, "unknown field"));
    }

    public static String text(JsonNode node, String field) {
        return node.path(field).asText("");
    }

    public static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        list.forEach(text -> texts.add(text.asText()));
        return texts;
    }
}
