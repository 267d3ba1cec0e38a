package io.argosy.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.schema.Field;
import io.argosy.api.schema.Field.PatchStrategy;
import io.argosy.api.schema.Schema;
import io.argosy.api.status.ApiException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Kubernetes' own merge: like a merge patch, but lists whose elements have a key are merged element by element, as the kind's schema says.
 * Directives in the patch ({@code $patch}, {@code $retainKeys}, {@code $setElementOrder}, {@code $deleteFromPrimitiveList}) say what a plain
 * merge cannot.
 */
public final class StrategicMergePatch {
    private static final String DIRECTIVE = "$patch";
    private static final String RETAIN_KEYS = "$retainKeys";
    private static final String ORDER = "$setElementOrder/";
    private static final String DELETE_FROM = "$deleteFromPrimitiveList/";

    private StrategicMergePatch() {}

    /** Merges into the target, which belongs to the caller. */
    public static ObjectNode apply(ObjectNode target, JsonNode patch, Schema schema) {
        if (!(patch instanceof ObjectNode changes)) {
            throw ApiException.badRequest("error decoding patch: the patch must be an object");
        }
        return merge(target, changes, name -> schema.field(name));
    }

    /** What is known of the fields of an object: a schema's fields, or the same for every key of a map. */
    private interface Fields {
        /** Null where nothing is known. */
        Field field(String name);
    }

    private static ObjectNode merge(ObjectNode target, ObjectNode patch, Fields fields) {
        switch (patch.path(DIRECTIVE).asText("")) {
            case "replace" -> {
                ObjectNode replacement = patch.deepCopy();
                replacement.remove(DIRECTIVE);
                return replacement;
            }
            case "delete" -> {
                return Json.object();
            }
            case "", "merge" -> {}
            default ->
                throw ApiException.badRequest(
                        "unknown patch type: " + patch.path(DIRECTIVE).asText());
        }
        retainKeys(target, patch);
        for (Map.Entry<String, JsonNode> entry : patch.properties()) {
            String name = entry.getKey();
            if (name.startsWith(DELETE_FROM)) {
                deleteFrom(target, name.substring(DELETE_FROM.length()), entry.getValue());
            } else if (name.startsWith(ORDER)) {
                String list = name.substring(ORDER.length());
                if (!patch.has(list)) {
                    mergeField(target, list, Json.NODES.arrayNode(), patch, fields);
                }
            } else if (!name.equals(DIRECTIVE) && !name.equals(RETAIN_KEYS)) {
                mergeField(target, name, entry.getValue(), patch, fields);
            }
        }
        return target;
    }

    private static void retainKeys(ObjectNode target, ObjectNode patch) {
        JsonNode retained = patch.get(RETAIN_KEYS);
        if (retained == null) {
            return;
        }
        Set<String> keys = new HashSet<>();
        retained.forEach(key -> keys.add(key.asText()));
        for (Map.Entry<String, JsonNode> entry : patch.properties()) {
            if (!entry.getKey().startsWith("$") && !entry.getValue().isNull() && !keys.contains(entry.getKey())) {
                throw ApiException.badRequest(
                        "the list of retained keys in $retainKeys does not hold " + entry.getKey());
            }
        }
        target.retain(keys);
    }

    private static void mergeField(ObjectNode target, String name, JsonNode change, ObjectNode patch, Fields fields) {
        Field field = fields.field(name);
        JsonNode before = target.get(name);
        if (change.isNull()) {
            target.remove(name);
        } else if (change instanceof ObjectNode object) {
            boolean replaces = field != null && field.patchStrategies().contains(PatchStrategy.REPLACE);
            ObjectNode base = before instanceof ObjectNode found && !replaces ? found : Json.object();
            if (object.path(DIRECTIVE).asText("").equals("delete")) {
                target.remove(name);
            } else {
                target.set(name, merge(base, object, below(field)));
            }
        } else if (change instanceof ArrayNode array
                && field != null
                && field.patchStrategies().contains(PatchStrategy.MERGE)) {
            ArrayNode base = before instanceof ArrayNode found ? found : Json.NODES.arrayNode();
            JsonNode order = patch.path(ORDER + name);
            ArrayNode merged = field.patchMergeKey() == null
                    ? mergeScalars(base, array, order)
                    : mergeElements(base, array, order, field);
            if (merged.isEmpty() && before == null) {
                return;
            }
            target.set(name, merged);
        } else if (change instanceof ArrayNode array) {
            if (!(array.isEmpty() && patch.has(ORDER + name) && !patch.has(name))) {
                target.set(name, withoutNulls(array.deepCopy()));
            }
        } else {
            target.set(name, change);
        }
    }

    /** The fields one level down; nothing is known of what stands under the free keys of a map. */
    private static Fields below(Field field) {
        if (field == null || field.isList() || field.isMap() || field.elementSchema() == null) {
            return name -> null;
        }
        return field.elementSchema().form() == Schema.Form.OBJECT ? field.elementSchema()::field : name -> null;
    }

    private static ArrayNode mergeElements(ArrayNode base, ArrayNode patch, JsonNode order, Field field) {
        String key = field.patchMergeKey();
        Fields fields = field.elementSchema() == null ? name -> null : field.elementSchema()::field;
        for (JsonNode element : patch) {
            if (element.path(DIRECTIVE).asText("").equals("replace")) {
                return replacement(patch);
            }
        }
        List<JsonNode> merged = new ArrayList<>();
        base.forEach(merged::add);
        List<JsonNode> live = List.copyOf(merged);
        for (JsonNode element : patch) {
            if (!(element instanceof ObjectNode object) || !object.has(key)) {
                throw ApiException.badRequest("map: " + element + " does not contain declared merge key: " + key);
            }
            int place = indexOf(merged, key, object.get(key));
            boolean delete = object.path(DIRECTIVE).asText("").equals("delete");
            if (delete && place >= 0) {
                merged.remove(place);
            } else if (!delete && place >= 0) {
                merged.set(place, merge((ObjectNode) merged.get(place), object, fields));
            } else if (!delete) {
                merged.add(merge(Json.object(), object, fields));
            }
        }
        JsonNode wanted = order.isMissingNode() ? withoutDirectives(patch) : order;
        List<JsonNode> ordered = ElementOrder.apply(merged, live, keys(wanted, key), node -> node.get(key));
        return Json.NODES.arrayNode().addAll(ordered);
    }

    /** A patch that says nothing of the order means its own: what it adds comes before what it does not name. */
    private static ArrayNode withoutDirectives(ArrayNode patch) {
        ArrayNode plain = Json.NODES.arrayNode();
        patch.forEach(element -> {
            if (!element.has(DIRECTIVE)) {
                plain.add(element);
            }
        });
        return plain;
    }

    private static List<JsonNode> keys(JsonNode order, String key) {
        List<JsonNode> keys = new ArrayList<>();
        order.forEach(element -> keys.add(element.path(key)));
        return keys;
    }

    private static ArrayNode replacement(ArrayNode patch) {
        ArrayNode replacement = Json.NODES.arrayNode();
        for (JsonNode element : patch) {
            if (!element.path(DIRECTIVE).asText("").equals("replace")) {
                replacement.add(element.deepCopy());
            } else if (element.size() > 1) {
                ObjectNode plain = element.deepCopy();
                plain.remove(DIRECTIVE);
                replacement.add(plain);
            }
        }
        return replacement;
    }

    private static ArrayNode mergeScalars(ArrayNode base, ArrayNode patch, JsonNode order) {
        List<JsonNode> merged = new ArrayList<>();
        base.forEach(merged::add);
        List<JsonNode> live = List.copyOf(merged);
        for (JsonNode element : patch) {
            if (!merged.contains(element)) {
                merged.add(element);
            }
        }
        List<JsonNode> wanted = new ArrayList<>();
        (order.isMissingNode() ? patch : order).forEach(wanted::add);
        return Json.NODES.arrayNode().addAll(ElementOrder.apply(merged, live, wanted, node -> node));
    }

    private static void deleteFrom(ObjectNode target, String name, JsonNode gone) {
        if (target.get(name) instanceof ArrayNode list) {
            Set<JsonNode> values = new HashSet<>();
            gone.forEach(values::add);
            for (int i = list.size() - 1; i >= 0; i--) {
                if (values.contains(list.get(i))) {
                    list.remove(i);
                }
            }
        }
    }

    private static int indexOf(List<JsonNode> elements, String key, JsonNode value) {
        for (int i = 0; i < elements.size(); i++) {
            if (value.equals(elements.get(i).get(key))) {
                return i;
            }
        }
        return -1;
    }

    private static ArrayNode withoutNulls(ArrayNode list) {
        list.forEach(element -> {
            if (element instanceof ObjectNode object) {
                object.properties().removeIf(entry -> entry.getValue().isNull());
            }
        });
        return list;
    }
}
