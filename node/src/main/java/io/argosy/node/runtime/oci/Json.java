package io.argosy.node.runtime.oci;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** JSON trees, and files of them that are either the old or the new one, never half of both. */
final class Json {
    private static final JsonMapper MAPPER = new JsonMapper();

    private Json() {}

    static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    static ArrayNode array(Iterable<String> values) {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        values.forEach(array::add);
        return array;
    }

    static ObjectNode map(Map<String, String> values) {
        ObjectNode object = object();
        values.forEach(object::put);
        return object;
    }

    static void put(ObjectNode object, String name, OptionalLong value) {
        value.ifPresent(number -> object.put(name, number));
    }

    static List<String> strings(JsonNode array) {
        List<String> values = new ArrayList<>();
        array.forEach(value -> values.add(value.asText()));
        return values;
    }

    static Map<String, String> stringMap(JsonNode object) {
        Map<String, String> values = new LinkedHashMap<>();
        object.properties()
                .forEach(entry -> values.put(entry.getKey(), entry.getValue().asText()));
        return values;
    }

    static OptionalLong number(JsonNode object, String name) {
        return object.has(name) ? OptionalLong.of(object.get(name).asLong()) : OptionalLong.empty();
    }

    static JsonNode parse(String text) throws IOException {
        return MAPPER.readTree(text);
    }

    static JsonNode read(Path file) throws IOException {
        return MAPPER.readTree(Files.readAllBytes(file));
    }

    /** Writes next to the file and renames: a reader, or we after a crash, find the whole or the former. */
    static void write(Path file, JsonNode tree) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.write(fresh, MAPPER.writeValueAsBytes(tree));
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
