package io.argosy.api.json;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Values of a YAML document that have a name, and stand again wherever the name does. What they come to is bounded, however they nest. */
final class Anchors {
    private static final int MOST_REPEATED = 100_000;
    private static final String MERGE = "<<";

    private final YamlReading.Parser parser;
    private final Map<String, JsonNode> named = new HashMap<>();
    private int repeated;

    Anchors(YamlReading.Parser parser) {
        this.parser = parser;
    }

    /** The name of the value that begins here; null if it has none. */
    String name() {
        return parser.anchor();
    }

    void remember(String name, JsonNode value) {
        named.put(name, value);
    }

    boolean isAlias() {
        return parser.isCurrentAlias();
    }

    /** The value that is meant here, for this place alone. */
    JsonNode meant() throws IOException {
        String name = parser.anchor();
        JsonNode value = named.get(name);
        if (value == null) {
            throw new JsonParseException(parser, "unknown anchor '" + name + "' referenced");
        }
        count(value);
        return value.deepCopy();
    }

    private void count(JsonNode value) throws IOException {
        repeated++;
        if (repeated > MOST_REPEATED) {
            throw new JsonParseException(parser, "document contains excessive aliasing");
        }
        for (JsonNode below : value) {
            count(below);
        }
    }

    /** Puts in what an object takes over from others; what it says itself counts more, and what comes first. */
    void merge(ObjectNode object) throws IOException {
        JsonNode merged = object.get(MERGE);
        if (merged == null) {
            return;
        }
        object.remove(MERGE);
        for (JsonNode one : merged.isArray() ? merged : List.of(merged)) {
            if (!(one instanceof ObjectNode source)) {
                throw new JsonParseException(parser, "map merge requires map or sequence of maps as the value");
            }
            source.properties().forEach(entry -> object.putIfAbsent(entry.getKey(), entry.getValue()));
        }
    }
}
