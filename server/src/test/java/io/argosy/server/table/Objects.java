package io.argosy.server.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupResource;
import io.argosy.api.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;

/** Objects for the tests of tables, typed as JSON with single quotes, and what their cells show at noon. */
final class Objects {
    static final Instant NOON = Instant.parse("2026-01-10T12:00:00Z");

    private Objects() {}

    static ObjectNode parse(String singleQuoted) {
        return Json.decodeObject(singleQuoted.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    /** An object created five minutes before noon, with further fields. */
    static ObjectNode object(String fields) {
        ObjectNode object = parse("{" + fields + "}");
        ObjectNode metadata = object.withObject("/metadata");
        metadata.put("name", "x");
        metadata.put("creationTimestamp", "2026-01-10T11:55:00Z");
        return object;
    }

    /** The cells as a person sees them, separated by bars. */
    static String show(String group, String resource, ObjectNode object) {
        List<JsonNode> cells = Tables.of(new GroupResource(group, resource)).cells(object, NOON);
        return String.join("|", cells.stream().map(JsonNode::asText).toList());
    }
}
