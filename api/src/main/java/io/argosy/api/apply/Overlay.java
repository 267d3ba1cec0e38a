package io.argosy.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.apply.Shape.Form;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Lays a part of an object over the whole, as a server-side apply does, for who does not own fields. */
public final class Overlay {
    private Overlay() {}

    /**
     * The object with what the part says; neither is changed.
     *
     * @throws IllegalArgumentException where the part says something of a value that is replaced as a whole, and could so remove what it does
     *     not speak of
     */
    public static ObjectNode merge(ObjectNode object, ObjectNode part, Shape shape) {
        List<String> atomic = new ArrayList<>();
        atomic(part, shape, "", atomic);
        if (!atomic.isEmpty()) {
            throw new IllegalArgumentException(
                    "may not mutate atomic arrays, maps or structs: " + String.join(", ", atomic));
        }
        return ((ObjectNode) TypedMerge.merge(object, part, shape)).deepCopy();
    }

    private static void atomic(JsonNode value, Shape shape, String path, List<String> found) {
        Form form = shape.form(value);
        if (value.isContainerNode() && form == Form.LEAF) {
            found.add(path);
        } else if (value.isObject()) {
            for (Map.Entry<String, JsonNode> entry : value.properties()) {
                Shape.Member member = shape.member(entry.getKey());
                Shape below = member == null ? shape.element() : member.shape();
                atomic(entry.getValue(), below == null ? Shape.DEDUCED : below, path + "." + entry.getKey(), found);
            }
        } else if (value.isArray() && shape.element() != null) {
            for (int i = 0; i < value.size(); i++) {
                atomic(value.get(i), shape.element(), path + "[" + i + "]", found);
            }
        }
    }
}
