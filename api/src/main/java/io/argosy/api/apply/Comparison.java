package io.argosy.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.apply.Shape.Form;
import io.argosy.api.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What became of the fields between two states of an object; no path is in more than one of the sets. */
public record Comparison(FieldSet added, FieldSet modified, FieldSet removed) {
    private static final Comparison SAME = new Comparison(FieldSet.EMPTY, FieldSet.EMPTY, FieldSet.EMPTY);

    public static Comparison of(JsonNode before, JsonNode after, Shape shape) {
        return inside(before, after, shape);
    }

    public boolean isSame() {
        return added.isEmpty() && modified.isEmpty() && removed.isEmpty();
    }

    /** The same without what a set of paths covers. */
    public Comparison without(FieldSet ignored) {
        return new Comparison(added.without(ignored), modified.without(ignored), removed.without(ignored));
    }

    /** Only what a set of paths covers. */
    public Comparison under(FieldSet kept) {
        return new Comparison(added.under(kept), modified.under(kept), removed.under(kept));
    }

    /** The three sets of one level while they are collected. */
    private static final class Level {
        private final FieldSet.Builder added = new FieldSet.Builder();
        private final FieldSet.Builder modified = new FieldSet.Builder();
        private final FieldSet.Builder removed = new FieldSet.Builder();

        Comparison build() {
            return new Comparison(added.build(), modified.build(), removed.build());
        }

        /** One step; either side may be missing, but not both. */
        void step(PathElement step, JsonNode before, JsonNode after, Shape shape) {
            if (before == after) {
                return;
            }
            boolean leaf = isLeaf(before, shape) && isLeaf(after, shape);
            Comparison below = leaf ? SAME : inside(before, after, shape);
            boolean changed = (leaf || isLeaf(before, shape) != isLeaf(after, shape))
                    && before != null
                    && after != null
                    && !Values.equal(before, after);
            boolean filled = changed && !leaf && isEmptyOf(before, after);
            added.add(step, before == null, below.added());
            modified.add(step, changed && !filled, below.modified());
            removed.add(step, after == null, below.removed());
        }
    }

    /** True for values without a path of their own inside them; a missing value takes the other's side. */
    private static boolean isLeaf(JsonNode value, Shape shape) {
        if (value == null) {
            return true;
        }
        return switch (shape.form(value)) {
            case STRUCT, MAP -> !value.isObject() || value.isEmpty();
            case SET, LIST_MAP -> !value.isArray() || value.isEmpty();
            default -> true;
        };
    }

    /** True if one of two is an empty or null container and the other the same kind of container with something in it. */
    private static boolean isEmptyOf(JsonNode one, JsonNode other) {
        return isBlank(one) || isBlank(other);
    }

    private static boolean isBlank(JsonNode value) {
        return value.isNull() || (value.isContainerNode() && value.isEmpty());
    }

    private static Comparison inside(JsonNode before, JsonNode after, Shape shape) {
        Level level = new Level();
        Form form = shape.form(before instanceof ObjectNode || after == null ? before : after);
        if (form == Form.STRUCT || form == Form.MAP) {
            objects(asObject(before), asObject(after), shape, level);
        } else if (form == Form.SET || form == Form.LIST_MAP) {
            lists(before, after, shape, level);
        }
        return level.build();
    }

    private static ObjectNode asObject(JsonNode value) {
        return value instanceof ObjectNode object ? object : null;
    }

    private static void objects(ObjectNode before, ObjectNode after, Shape shape, Level level) {
        if (after != null) {
            for (Map.Entry<String, JsonNode> entry : after.properties()) {
                JsonNode old = before == null ? null : before.get(entry.getKey());
                field(entry.getKey(), old, entry.getValue(), shape, level, before != null);
            }
        }
        if (before != null) {
            for (Map.Entry<String, JsonNode> entry : before.properties()) {
                if (after == null || !after.has(entry.getKey())) {
                    field(entry.getKey(), entry.getValue(), null, shape, level, after != null);
                }
            }
        }
    }

    /** A field that Kubernetes' types always have was there, empty, if the struct around it was. */
    private static void field(
            String name, JsonNode before, JsonNode after, Shape shape, Level level, boolean otherSideHasParent) {
        Shape.Member member = shape.member(name);
        if (member == null) {
            level.step(PathElement.field(name), before, after, shape.element());
        } else if (member.solid() && otherSideHasParent) {
            JsonNode old = before == null ? Json.object() : before;
            JsonNode now = after == null ? Json.object() : after;
            level.step(member.element(), old, now, member.shape());
        } else {
            level.step(member.element(), before, after, member.shape());
        }
    }

    private record Pair(List<JsonNode> before, List<JsonNode> after) {}

    /** Elements are compared by what identifies them, wherever they stand; repeated ones count as one that is owned as a whole. */
    private static void lists(JsonNode before, JsonNode after, Shape shape, Level level) {
        Map<PathElement, Pair> pairs = new LinkedHashMap<>();
        collect(before, shape, pairs, true);
        collect(after, shape, pairs, false);
        pairs.forEach((step, pair) -> {
            JsonNode old = pair.before().size() == 1 ? pair.before().getFirst() : null;
            JsonNode now = pair.after().size() == 1 ? pair.after().getFirst() : null;
            boolean repeatedBefore = pair.before().size() > 1;
            boolean repeatedAfter = pair.after().size() > 1;
            if (!repeatedBefore && !repeatedAfter) {
                level.step(step, old, now, shape.element());
            } else if (repeatedBefore && repeatedAfter) {
                boolean same = Values.equal(array(pair.before()), array(pair.after()));
                level.modified.add(step, !same, FieldSet.EMPTY);
            } else {
                Comparison below = inside(old, now, shape.element());
                level.removed.add(step, repeatedBefore || old != null, below.removed());
                level.added.add(step, repeatedAfter || now != null, below.added());
            }
        });
    }

    private static ArrayNode array(List<JsonNode> items) {
        return Json.NODES.arrayNode().addAll(items);
    }

    private static void collect(JsonNode list, Shape shape, Map<PathElement, Pair> pairs, boolean isBefore) {
        if (!(list instanceof ArrayNode)) {
            return;
        }
        for (JsonNode item : list) {
            PathElement step = shape.identify(item);
            if (step != null) {
                Pair pair = pairs.computeIfAbsent(step, any -> new Pair(new ArrayList<>(1), new ArrayList<>(1)));
                (isBefore ? pair.before() : pair.after()).add(item);
            }
        }
    }
}
