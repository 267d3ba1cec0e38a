package io.argosy.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What becomes of a pod that presets are laid into: all of what they say, or, where two say different things of the same, nothing. */
final class PresetMerge {
    private final List<JsonNode> presets;
    private final List<String> conflicts = new ArrayList<>();

    private PresetMerge(List<JsonNode> presets) {
        this.presets = presets;
    }

    /** The presets contradict the pod or each other; the message says in what. */
    static final class ConflictException extends Exception {
        private static final long serialVersionUID = 1L;

        ConflictException(String message) {
            super(message, null, false, false);
        }
    }

    /** Changes the pod's spec, if nothing is in the way. */
    static void into(ObjectNode spec, List<JsonNode> presets) throws ConflictException {
        PresetMerge merge = new PresetMerge(presets);
        ObjectNode merged = spec.deepCopy();
        merge.byKey(merged, "volumes", "name", "volumes");
        for (String list : List.of("initContainers", "containers")) {
            for (JsonNode container : merged.path(list)) {
                if (container instanceof ObjectNode one) {
                    merge.container(one);
                }
            }
        }
        if (!merge.conflicts.isEmpty()) {
            throw new ConflictException(String.join("; ", merge.conflicts));
        }
        spec.removeAll();
        spec.setAll(merged);
    }

    private void container(ObjectNode container) {
        byKey(container, "env", "name", "env");
        envFrom(container);
        mounts(container);
    }

    /** Elements of one key must be the same, whoever brings them. */
    private void byKey(ObjectNode parent, String list, String key, String words) {
        Map<String, JsonNode> known = index(parent.path(list), key);
        for (JsonNode preset : presets) {
            for (JsonNode added : preset.path("spec").path(list)) {
                String id = added.path(key).asText();
                JsonNode found = known.putIfAbsent(id, added);
                if (found == null) {
                    list(parent, list).add(added.deepCopy());
                } else if (!found.equals(added)) {
                    conflict(preset, words, id, parent);
                }
            }
        }
    }

    private void envFrom(ObjectNode container) {
        for (JsonNode preset : presets) {
            for (JsonNode added : preset.path("spec").path("envFrom")) {
                list(container, "envFrom").add(added.deepCopy());
            }
        }
    }

    /** Neither a volume nor a place is mounted in two ways. */
    private void mounts(ObjectNode container) {
        Map<String, JsonNode> byName = index(container.path("volumeMounts"), "name");
        Map<String, JsonNode> byPath = index(container.path("volumeMounts"), "mountPath");
        for (JsonNode preset : presets) {
            for (JsonNode added : preset.path("spec").path("volumeMounts")) {
                String name = added.path("name").asText();
                String path = added.path("mountPath").asText();
                JsonNode named = byName.putIfAbsent(name, added);
                JsonNode placed = byPath.putIfAbsent(path, added);
                if (named != null && !named.equals(added)) {
                    conflict(preset, "volume mounts", name, container);
                } else if (placed != null && !placed.equals(added)) {
                    conflict(preset, "volume mounts", "mount path " + path, container);
                } else if (named == null) {
                    list(container, "volumeMounts").add(added.deepCopy());
                }
            }
        }
    }

    private void conflict(JsonNode preset, String what, String on, ObjectNode parent) {
        String where =
                parent.has("image") ? " in container " + parent.path("name").asText() : "";
        conflicts.add("merging " + what + " for "
                + preset.path("metadata").path("name").asText() + " has a conflict on " + on + where);
    }

    private static Map<String, JsonNode> index(JsonNode list, String key) {
        Map<String, JsonNode> known = new LinkedHashMap<>();
        list.forEach(one -> known.putIfAbsent(one.path(key).asText(), one));
        return known;
    }

    private static ArrayNode list(ObjectNode parent, String field) {
        return parent.get(field) instanceof ArrayNode found ? found : parent.putArray(field);
    }
}
