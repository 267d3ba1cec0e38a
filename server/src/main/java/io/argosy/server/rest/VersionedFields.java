package io.argosy.server.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.convert.Converter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** The fields that custom resources are selected by, in a version that they are not stored in: what counts is what the client would see. */
final class VersionedFields {
    private final ResourceType type;
    private final Map<CachedObject, Map<String, String>> prepared = new IdentityHashMap<>();

    VersionedFields(ResourceType type) {
        this.type = type;
    }

    /** Looks at many at once, because whoever converts them is asked once for all. */
    void prepare(List<CachedObject> objects) {
        List<ObjectNode> trees = new ArrayList<>(objects.size());
        objects.forEach(object -> trees.add(Json.decodeObject(object.json())));
        Converter.convert(trees, type);
        for (int i = 0; i < trees.size(); i++) {
            prepared.put(objects.get(i), fields(trees.get(i)));
        }
    }

    Map<String, String> of(CachedObject object) {
        Map<String, String> known = prepared.get(object);
        if (known != null) {
            return known;
        }
        ObjectNode tree = Json.decodeObject(object.json());
        Converter.convert(List.of(tree), type);
        return fields(tree);
    }

    private Map<String, String> fields(ObjectNode tree) {
        Map<String, String> fields = new HashMap<>();
        for (String path : type.custom().selectableFields()) {
            JsonNode value = tree.at("/" + path.replace('.', '/'));
            if (value.isValueNode() && !value.isNull()) {
                fields.put(path, value.asText());
            }
        }
        return fields;
    }
}
