package io.argosy.server.aggregation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersion;
import io.argosy.api.json.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a server says of one version, in the form in which all versions are told of in one document. */
final class AggregatedForm {
    private AggregatedForm() {}

    /** The resources of an {@code APIResourceList}, each with its parts. */
    static ArrayNode of(GroupVersion version, JsonNode list) {
        Map<String, ObjectNode> resources = new LinkedHashMap<>();
        for (JsonNode one : list.path("resources")) {
            String name = one.path("name").asText("");
            int slash = name.indexOf('/');
            if (slash < 0) {
                resources.put(name, resource(version, one, name));
            } else if (resources.get(name.substring(0, slash)) instanceof ObjectNode owner) {
                ObjectNode part =
                        owner.withArray("subresources").addObject().put("subresource", name.substring(slash + 1));
                kind(version, one, part);
                part.set("verbs", one.path("verbs").deepCopy());
            }
        }
        ArrayNode all = Json.object().putArray("resources");
        resources.values().forEach(all::add);
        return all;
    }

    private static ObjectNode resource(GroupVersion version, JsonNode one, String name) {
        ObjectNode resource = Json.object().put("resource", name);
        kind(version, one, resource);
        resource.put("scope", one.path("namespaced").asBoolean() ? "Namespaced" : "Cluster")
                .put("singularResource", one.path("singularName").asText(""));
        resource.set("verbs", one.path("verbs").deepCopy());
        for (String field : List.of("shortNames", "categories")) {
            if (!one.path(field).isEmpty()) {
                resource.set(field, one.path(field).deepCopy());
            }
        }
        return resource;
    }

    private static void kind(GroupVersion version, JsonNode one, ObjectNode to) {
        to.putObject("responseKind")
                .put("group", one.path("group").asText(version.group()))
                .put("version", one.path("version").asText(version.version()))
                .put("kind", one.path("kind").asText(""));
    }
}
