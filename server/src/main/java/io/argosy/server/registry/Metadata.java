package io.argosy.server.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** The metadata of a tree, read and written by name. */
public record Metadata(ObjectNode node) {
    public static Metadata of(ObjectNode object) {
        return new Metadata(object.get("metadata") instanceof ObjectNode found ? found : object.putObject("metadata"));
    }

    public String name() {
        return node.path("name").asText("");
    }

    public String namespace() {
        return node.path("namespace").asText("");
    }

    public String uid() {
        return node.path("uid").asText("");
    }

    public String resourceVersion() {
        return node.path("resourceVersion").asText("");
    }

    public boolean isBeingDeleted() {
        return node.hasNonNull("deletionTimestamp");
    }

    public List<String> finalizers() {
        List<String> finalizers = new ArrayList<>();
        node.path("finalizers").forEach(one -> finalizers.add(one.asText()));
        return finalizers;
    }

    public void setFinalizers(List<String> finalizers) {
        if (finalizers.isEmpty()) {
            node.remove("finalizers");
        } else {
            ArrayNode array = node.putArray("finalizers");
            finalizers.forEach(array::add);
        }
    }

    /** A time as the API writes it: whole seconds, UTC. */
    public static String time(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** The same field in both, whatever the client sent. */
    void keep(String field, ObjectNode before) {
        JsonNode value = before.path("metadata").get(field);
        if (value == null) {
            node.remove(field);
        } else {
            node.set(field, value);
        }
    }

    /** The object with kind, apiVersion and metadata in front, as stored objects are written. */
    static ObjectNode ordered(ObjectNode object, String apiVersion, String kind) {
        ObjectNode ordered = Json.object();
        ordered.put("kind", kind).put("apiVersion", apiVersion);
        ordered.set("metadata", object.get("metadata"));
        object.properties().forEach(field -> {
            if (!ordered.has(field.getKey())) {
                ordered.set(field.getKey(), field.getValue());
            }
        });
        return ordered;
    }
}
