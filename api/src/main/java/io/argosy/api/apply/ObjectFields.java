package io.argosy.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.apply.Shape.Form;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The set of the fields that an object says something about: what an applier owns by applying it. */
public final class ObjectFields {
    private ObjectFields() {}

    public static FieldSet of(JsonNode object, Shape shape) {
        return switch (shape.form(object)) {
            case STRUCT, MAP -> object.isObject() ? ofObject(object, shape) : FieldSet.EMPTY;
            case SET, LIST_MAP -> object.isArray() ? ofList(object, shape) : FieldSet.EMPTY;
            default -> FieldSet.EMPTY;
        };
    }

    private static FieldSet ofObject(JsonNode object, Shape shape) {
        FieldSet.Builder level = new FieldSet.Builder();
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            JsonNode value = entry.getValue();
            Shape.Member member = shape.member(entry.getKey());
            PathElement step = member == null ? PathElement.field(entry.getKey()) : member.element();
            Shape inner = member == null ? shape.element() : member.shape();
            boolean whole = member == null
                    || inner.form(value) == Form.LEAF
                    || value.isNull()
                    || (value.isObject() && value.isEmpty());
            level.add(step, whole, of(value, inner));
        }
        return level.build();
    }

    private static FieldSet ofList(JsonNode list, Shape shape) {
        FieldSet.Builder level = new FieldSet.Builder();
        Set<PathElement> seen = new HashSet<>();
        Set<PathElement> repeated = new HashSet<>();
        for (JsonNode item : list) {
            PathElement step = shape.identify(item);
            if (step != null && !seen.add(step)) {
                repeated.add(step);
            }
        }
        repeated.forEach(step -> level.add(step, true, FieldSet.EMPTY));
        for (JsonNode item : list) {
            PathElement step = shape.identify(item);
            if (step != null && !repeated.contains(step)) {
                level.add(step, true, of(item, shape.element()));
            }
        }
        return level.build();
    }
}
