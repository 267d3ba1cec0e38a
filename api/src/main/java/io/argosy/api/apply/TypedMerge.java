package io.argosy.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.apply.Shape.Form;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Lays what an applier wants over what is there: objects by key, lists by what identifies their elements, the rest as a whole. */
final class TypedMerge {
    private TypedMerge() {}

    /** Neither tree is changed; the result shares parts with both. */
    static JsonNode merge(JsonNode live, JsonNode wanted, Shape shape) {
        if (wanted == null || live == null) {
            return wanted == null ? live : wanted;
        }
        Form form = shape.form(wanted);
        if ((form == Form.STRUCT || form == Form.MAP) && isFilled(live, wanted, true)) {
            return mergeObjects(asObject(live), asObject(wanted), shape);
        }
        if ((form == Form.SET || form == Form.LIST_MAP) && isFilled(live, wanted, false)) {
            return new Lists(live, wanted, shape).merge();
        }
        return wanted;
    }

    /** Both are containers of one kind (or null), and not both are empty. */
    private static boolean isFilled(JsonNode live, JsonNode wanted, boolean objects) {
        for (JsonNode value : List.of(live, wanted)) {
            if (!value.isNull() && !(objects ? value.isObject() : value.isArray())) {
                return false;
            }
        }
        return !live.isEmpty() || !wanted.isEmpty();
    }

    private static ObjectNode asObject(JsonNode value) {
        return value instanceof ObjectNode object ? object : Json.object();
    }

    private static ObjectNode mergeObjects(ObjectNode live, ObjectNode wanted, Shape shape) {
        ObjectNode merged = Json.object();
        for (Map.Entry<String, JsonNode> entry : live.properties()) {
            String name = entry.getKey();
            merged.set(name, merge(entry.getValue(), wanted.get(name), below(shape, name)));
        }
        for (Map.Entry<String, JsonNode> entry : wanted.properties()) {
            if (!live.has(entry.getKey())) {
                merged.set(entry.getKey(), entry.getValue());
            }
        }
        return merged;
    }

    private static Shape below(Shape shape, String name) {
        Shape.Member member = shape.member(name);
        return member == null ? shape.element() : member.shape();
    }

    /** The merge of two lists: the applier's order for what it names, the others where they stood among them. */
    private static final class Lists {
        private final Shape shape;
        private final List<PathElement> liveSteps = new ArrayList<>();
        private final List<JsonNode> liveItems = new ArrayList<>();
        private final Map<PathElement, JsonNode> live = new LinkedHashMap<>();
        private final Map<PathElement, JsonNode> wanted = new LinkedHashMap<>();
        private final ArrayNode out = Json.NODES.arrayNode();

        Lists(JsonNode liveList, JsonNode wantedList, Shape shape) {
            this.shape = shape;
            for (JsonNode item : liveList) {
                PathElement step = shape.identify(item);
                if (step != null) {
                    liveSteps.add(step);
                    liveItems.add(item);
                    // a repeated element is not merged with, it gives way
                    live.put(step, live.containsKey(step) ? Json.NODES.nullNode() : item);
                }
            }
            int index = 0;
            for (JsonNode item : wantedList) {
                PathElement step = shape.identify(item);
                if (step == null) {
                    throw ApiException.badRequest("element " + index + ": associative list with keys has an element"
                            + " that omits key field (and doesn't have default value)");
                }
                if (wanted.put(step, item) != null) {
                    throw ApiException.badRequest("duplicate entries for key " + step);
                }
                index++;
            }
        }

        ArrayNode merge() {
            Deque<PathElement> shared = new ArrayDeque<>();
            wanted.keySet().forEach(step -> {
                if (live.containsKey(step)) {
                    shared.add(step);
                }
            });
            List<PathElement> wantedSteps = List.copyOf(wanted.keySet());
            Set<PathElement> done = new HashSet<>();
            int left = 0;
            int right = 0;
            while (left < liveSteps.size() || right < wantedSteps.size()) {
                PathElement here = left < liveSteps.size() ? liveSteps.get(left) : null;
                PathElement there = right < wantedSteps.size() ? wantedSteps.get(right) : null;
                if (here != null && there != null) {
                    if (here.equals(there)) {
                        take(here, done);
                        shared.poll();
                        left++;
                        right++;
                        continue;
                    }
                    if (wanted.containsKey(here)
                            && !shared.isEmpty()
                            && !shared.peek().equals(here)) {
                        left++; // it comes where the applier put it
                        continue;
                    }
                }
                if (here != null) {
                    if (!wanted.containsKey(here)) {
                        out.add(liveItems.get(left));
                        left++;
                        continue;
                    }
                    if (done.contains(here)) {
                        left++;
                    }
                }
                if (there != null) {
                    take(there, done);
                    right++;
                    if (there.equals(shared.peek())) {
                        shared.poll();
                    }
                }
            }
            return out;
        }

        private void take(PathElement step, Set<PathElement> done) {
            done.add(step);
            JsonNode before = live.get(step);
            out.add(
                    before == null || before.isNull()
                            ? wanted.get(step)
                            : TypedMerge.merge(before, wanted.get(step), shape.element()));
        }
    }
}
