package io.argosy.server.openapi;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/** What other servers' documents in OpenAPI 2 add to ours: definitions that we have too are not told twice, those of the same name that differ get another. */
record ForeignSpecs(Map<String, ObjectNode> definitions, Map<String, ObjectNode> paths) {
    private static final String REFERENCE = "#/definitions/";

    static ForeignSpecs of(List<ObjectNode> documents, Function<String, Optional<ObjectNode>> own) {
        Map<String, ObjectNode> definitions = new TreeMap<>();
        Map<String, ObjectNode> paths = new TreeMap<>();
        for (ObjectNode document : documents) {
            Map<String, String> renamed = new HashMap<>();
            Map<String, ObjectNode> added = new TreeMap<>();
            for (Map.Entry<String, JsonNode> one : document.path("definitions").properties()) {
                if (one.getValue() instanceof ObjectNode definition) {
                    String name = free(one.getKey(), definition, definitions, own);
                    renamed.put(one.getKey(), name);
                    if (!definitions.containsKey(name) && !own.apply(name).isPresent()) {
                        added.put(name, definition.deepCopy());
                    }
                }
            }
            added.values().forEach(definition -> rename(definition, renamed));
            definitions.putAll(added);
            for (Map.Entry<String, JsonNode> one : document.path("paths").properties()) {
                if (one.getValue() instanceof ObjectNode path) {
                    ObjectNode copy = path.deepCopy();
                    rename(copy, renamed);
                    paths.put(one.getKey(), copy);
                }
            }
        }
        return new ForeignSpecs(definitions, paths);
    }

    /** The name under which the definition is, or can be, told: its own unless another has it. */
    private static String free(
            String name,
            ObjectNode definition,
            Map<String, ObjectNode> known,
            Function<String, Optional<ObjectNode>> own) {
        String tried = name;
        for (int i = 2; ; i++) {
            ObjectNode other = known.containsKey(tried)
                    ? known.get(tried)
                    : own.apply(tried).orElse(null);
            if (other == null || other.equals(definition)) {
                return tried;
            }
            tried = name + "_v" + i;
        }
    }

    private static void rename(JsonNode tree, Map<String, String> names) {
        if (tree instanceof ObjectNode object) {
            JsonNode reference = object.get("$ref");
            if (reference instanceof TextNode && reference.asText().startsWith(REFERENCE)) {
                String name = reference.asText().substring(REFERENCE.length());
                object.put("$ref", REFERENCE + names.getOrDefault(name, name));
            }
        }
        tree.forEach(child -> rename(child, names));
    }
}
