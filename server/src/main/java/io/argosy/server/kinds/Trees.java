package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** Small steps on trees that defaults and validations are written in. */
final class Trees {
    private Trees() {}

    static void setDefault(ObjectNode object, String field, String value) {
        if (isAbsent(object, field)) {
            object.put(field, value);
        }
    }

    /** Small numbers stay small, so that a default equals the same number read from JSON. */
    static void setDefault(ObjectNode object, String field, int value) {
        if (isAbsent(object, field)) {
            object.put(field, value);
        }
    }

    /** The same for a number of which 0 is as good as none. */
    static void replaceZero(ObjectNode object, String field, int value) {
        JsonNode given = object.path(field);
        if (isAbsent(object, field) || (given.isNumber() && given.asLong() == 0)) {
            object.put(field, value);
        }
    }

    static void setDefault(ObjectNode object, String field, boolean value) {
        if (isAbsent(object, field)) {
            object.put(field, value);
        }
    }

    /** Says of fields that are always shown that there is nothing in them. */
    static void showEmpty(ObjectNode object, String... fields) {
        for (String field : fields) {
            if (!object.has(field)) {
                object.putNull(field);
            }
        }
    }

    /** An empty string counts as absent, as it does where a field is a plain string. */
    private static boolean isAbsent(ObjectNode object, String field) {
        JsonNode value = object.get(field);
        return value == null
                || value.isNull()
                || (value.isTextual() && value.asText().isEmpty());
    }

    /** The object below a field, made if it is not there. */
    static ObjectNode child(ObjectNode object, String field) {
        return object.get(field) instanceof ObjectNode found ? found : object.putObject(field);
    }

    /** The object below a field; null if it is not there. */
    static ObjectNode existing(ObjectNode object, String field) {
        return object.get(field) instanceof ObjectNode found ? found : null;
    }

    /** The objects in a list; empty if it is not there. */
    static List<ObjectNode> objects(JsonNode parent, String field) {
        List<ObjectNode> objects = new ArrayList<>();
        for (JsonNode element : parent.path(field)) {
            if (element instanceof ObjectNode object) {
                objects.add(object);
            }
        }
        return objects;
    }
}
