package io.argosy.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Iterator;
import java.util.Map;

/** Equality and order of values, where a number is the same however the tree holds it. */
final class Values {
    private Values() {}

    static boolean equal(JsonNode one, JsonNode other) {
        if (one == other) {
            return true;
        }
        if (one == null || other == null || one.isNumber() != other.isNumber()) {
            return false;
        }
        if (one.isNumber()) {
            return compareNumbers(one, other) == 0;
        }
        if (one.getNodeType() != other.getNodeType() || one.size() != other.size()) {
            return false;
        }
        if (one.isObject()) {
            for (Map.Entry<String, JsonNode> entry : one.properties()) {
                if (!equal(entry.getValue(), other.get(entry.getKey()))) {
                    return false;
                }
            }
            return true;
        }
        if (one.isArray()) {
            Iterator<JsonNode> others = other.iterator();
            for (JsonNode element : one) {
                if (!equal(element, others.next())) {
                    return false;
                }
            }
            return true;
        }
        return one.equals(other);
    }

    /** Numbers before strings before booleans before the rest. */
    static int compare(JsonNode one, JsonNode other) {
        int order = Integer.compare(rank(one), rank(other));
        if (order != 0) {
            return order;
        }
        return one.isNumber() ? compareNumbers(one, other) : one.asText().compareTo(other.asText());
    }

    private static int rank(JsonNode value) {
        return switch (value.getNodeType()) {
            case NUMBER -> 0;
            case STRING -> 1;
            case BOOLEAN -> 2;
            default -> 3;
        };
    }

    private static int compareNumbers(JsonNode one, JsonNode other) {
        return one.isIntegralNumber() && other.isIntegralNumber()
                ? Long.compare(one.asLong(), other.asLong())
                : Double.compare(one.asDouble(), other.asDouble());
    }
}
