package io.argosy.server.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Set;

/** Compares objects but for some of their fields, without copying either. */
final class Likeness {
    private Likeness() {}

    /** Whether all other fields are the same in both, whatever their order. */
    static boolean but(Set<String> fields, ObjectNode one, ObjectNode other) {
        for (Map.Entry<String, JsonNode> entry : one.properties()) {
            if (!fields.contains(entry.getKey()) && !entry.getValue().equals(other.get(entry.getKey()))) {
                return false;
            }
        }
        for (Map.Entry<String, JsonNode> entry : other.properties()) {
            if (!fields.contains(entry.getKey()) && !one.has(entry.getKey())) {
                return false;
            }
        }
        return true;
    }
}
