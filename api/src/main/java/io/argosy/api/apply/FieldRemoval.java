package io.argosy.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import java.util.Map;

/** Takes the fields of a set out of an object; what is left empty by it becomes null. */
final class FieldRemoval {
    private FieldRemoval() {}

    /** The tree is not changed; the result shares parts with it. */
    static JsonNode remove(JsonNode value, FieldSet gone, Shape shape) {
        if (gone.isEmpty()) {
            return value;
        }
        return switch (shape.form(value)) {
            case STRUCT, MAP -> value instanceof ObjectNode object ? ofObject(object, gone, shape) : nothing();
            case SET, LIST_MAP -> value instanceof ArrayNode list ? ofList(list, gone, shape) : nothing();
            default -> value.isContainerNode() ? nothing() : value;
        };
    }

    private static JsonNode nothing() {
        return Json.NODES.nullNode();
    }

    private static JsonNode ofObject(ObjectNode object, FieldSet gone, Shape shape) {
        ObjectNode left = Json.object();
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            Shape.Member member = shape.member(entry.getKey());
            PathElement step = member == null ? PathElement.field(entry.getKey()) : member.element();
            if (!gone.has(step)) {
                Shape inner = member == null ? shape.element() : member.shape();
                left.set(entry.getKey(), remove(entry.getValue(), gone.below(step), inner));
            }
        }
        return left.isEmpty() ? nothing() : left;
    }

    private static JsonNode ofList(ArrayNode list, FieldSet gone, Shape shape) {
        ArrayNode left = Json.NODES.arrayNode();
        for (JsonNode item : list) {
            PathElement step = shape.identify(item);
            if (step == null || !gone.has(step)) {
                left.add(step == null ? item : remove(item, gone.below(step), shape.element()));
            }
        }
        return left.isEmpty() ? nothing() : left;
    }

    /** A copy without the nulls, which in a built-in object are the same as nothing. */
    static JsonNode withoutNulls(JsonNode value) {
        if (value instanceof ObjectNode object) {
            ObjectNode copy = Json.object();
            object.properties().forEach(entry -> {
                if (!entry.getValue().isNull()) {
                    copy.set(entry.getKey(), withoutNulls(entry.getValue()));
                }
            });
            return copy;
        }
        if (value instanceof ArrayNode list) {
            ArrayNode copy = Json.NODES.arrayNode();
            list.forEach(item -> copy.add(withoutNulls(item)));
            return copy;
        }
        return value;
    }
}
