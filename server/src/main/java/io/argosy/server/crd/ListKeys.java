package io.argosy.server.crd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** What tells the elements of a list apart, where the schema says that something does: their value, or some of their fields. */
record ListKeys(StructuralSchema schema) {
    /** Null for a list whose elements have no identity. */
    static ListKeys of(StructuralSchema schema) {
        return schema.listType().equals("map") || schema.listType().equals("set") ? new ListKeys(schema) : null;
    }

    JsonNode of(JsonNode element) {
        if (schema.listType().equals("set") || !element.isObject()) {
            return element;
        }
        ObjectNode key = Json.object();
        for (String field : schema.listMapKeys()) {
            if (element.has(field)) {
                key.set(field, element.get(field));
            }
        }
        return key;
    }

    Map<JsonNode, JsonNode> index(JsonNode list) {
        Map<JsonNode, JsonNode> index = new HashMap<>();
        list.forEach(element -> index.put(of(element), element));
        return index;
    }

    /** The elements that are there before, by their place. */
    Map<Integer, JsonNode> duplicates(JsonNode list) {
        Map<Integer, JsonNode> duplicates = new LinkedHashMap<>();
        Set<JsonNode> seen = new HashSet<>();
        for (int i = 0; i < list.size(); i++) {
            JsonNode key = of(list.get(i));
            if (!seen.add(key)) {
                duplicates.put(i, key);
            }
        }
        return duplicates;
    }
}
