package io.argosy.server.cache;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.argosy.api.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Takes labels and selectable fields out of an object's JSON in one pass, without building a tree. */
final class ObjectScan {
    private final Map<String, String> labels = new HashMap<>(8);
    private final Map<String, String> fields = new HashMap<>(4);
    private final Set<String> wanted;

    private ObjectScan(Set<String> wanted) {
        this.wanted = wanted;
    }

    record Facts(Map<String, String> labels, Map<String, String> fields) {}

    /** Wanted are dotted paths outside metadata, such as {@code spec.nodeName}. */
    static Facts scan(byte[] json, Set<String> wanted) {
        ObjectScan scan = new ObjectScan(wanted);
        try (JsonParser parser = Json.parser(json)) {
            parser.nextToken();
            scan.object(parser, "");
        } catch (IOException e) {
            throw new UncheckedIOException("a stored object is not JSON", e);
        }
        return new Facts(Map.copyOf(scan.labels), Map.copyOf(scan.fields));
    }

    private void object(JsonParser parser, String path) throws IOException {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String field = path.isEmpty() ? parser.currentName() : path + "." + parser.currentName();
            JsonToken value = parser.nextToken();
            if (value == JsonToken.START_OBJECT) {
                if (field.equals("metadata.labels")) {
                    labels(parser);
                } else if (field.equals(CachedObject.INITIALIZERS)) {
                    fields.put(field, "pending");
                    parser.skipChildren();
                } else if (field.equals("metadata") || leadsSomewhere(field)) {
                    object(parser, field);
                } else {
                    parser.skipChildren();
                }
            } else if (value == JsonToken.START_ARRAY) {
                parser.skipChildren();
            } else if (wanted.contains(field) && value != JsonToken.VALUE_NULL) {
                fields.put(field, parser.getText());
            }
            if (path.isEmpty() && field.equals("metadata") && wanted.isEmpty()) {
                return;
            }
        }
    }

    private void labels(JsonParser parser) throws IOException {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String key = parser.currentName();
            parser.nextToken();
            labels.put(key, parser.getText());
        }
    }

    private boolean leadsSomewhere(String field) {
        for (String path : wanted) {
            if (path.length() > field.length() && path.startsWith(field) && path.charAt(field.length()) == '.') {
                return true;
            }
        }
        return false;
    }
}
