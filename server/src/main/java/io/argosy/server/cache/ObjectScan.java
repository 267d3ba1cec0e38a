package io.argosy.server.cache;

import io.argosy.api.json.JsonCursor;
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
        scan.object(JsonCursor.of(json), "");
        return new Facts(Map.copyOf(scan.labels), Map.copyOf(scan.fields));
    }

    private void object(JsonCursor cursor, String path) {
        cursor.enter();
        while (cursor.nextField()) {
            String field = path.isEmpty() ? cursor.name() : path + "." + cursor.name();
            if (cursor.isObject()) {
                if (field.equals("metadata.labels")) {
                    labels(cursor);
                } else if (field.equals(CachedObject.INITIALIZERS)) {
                    fields.put(field, "pending");
                    cursor.skip();
                } else if (field.equals("metadata") || leadsSomewhere(field)) {
                    object(cursor, field);
                } else {
                    cursor.skip();
                }
            } else if (wanted.contains(field) && !cursor.isArray() && !cursor.isNull()) {
                fields.put(field, cursor.text());
            } else {
                cursor.skip();
            }
            if (path.isEmpty() && field.equals("metadata") && wanted.isEmpty()) {
                return;
            }
        }
    }

    private void labels(JsonCursor cursor) {
        cursor.enter();
        while (cursor.nextField()) {
            String key = cursor.name();
            labels.put(key, cursor.text());
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
