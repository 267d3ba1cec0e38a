package io.argosy.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/** One step of a path into an object: a field, the list element with certain keys, an element of a set, or a place in a list. Immutable. */
final class PathElement implements Comparable<PathElement> {
    private enum Kind {
        FIELD,
        KEY,
        VALUE,
        INDEX
    }

    private final Kind kind;
    /** The written form, such as {@code f:spec} or {@code k:{"name":"web"}}; equal elements have equal ones. */
    private final String text;
    /** The keys of a list element in alphabetical order, or the value of a set; null for fields. */
    private final JsonNode value;

    private PathElement(Kind kind, String text, JsonNode value) {
        this.kind = kind;
        this.text = text;
        this.value = value;
    }

    static PathElement field(String name) {
        return new PathElement(Kind.FIELD, "f:" + name, null);
    }

    static PathElement key(Map<String, JsonNode> keys) {
        ObjectNode sorted = Json.object();
        new TreeMap<>(keys).forEach(sorted::set);
        return new PathElement(Kind.KEY, "k:" + sorted, sorted);
    }

    static PathElement value(JsonNode value) {
        return new PathElement(Kind.VALUE, "v:" + value, value);
    }

    /** Reads the written form; null for forms that a later version may know. */
    static PathElement parse(String text) {
        if (text.length() < 2 || text.charAt(1) != ':') {
            throw new IllegalArgumentException("missing colon: " + text);
        }
        String rest = text.substring(2);
        return switch (text.charAt(0)) {
            case 'f' -> new PathElement(Kind.FIELD, text, null);
            case 'k' -> {
                if (!(json(rest) instanceof ObjectNode keys)) {
                    throw new IllegalArgumentException("the keys of a list element must be an object: " + text);
                }
                Map<String, JsonNode> named = new TreeMap<>();
                keys.properties().forEach(entry -> named.put(entry.getKey(), entry.getValue()));
                yield key(named);
            }
            case 'v' -> value(json(rest));
            case 'i' -> new PathElement(Kind.INDEX, text, Json.NODES.numberNode(Integer.parseInt(rest)));
            default -> null;
        };
    }

    private static JsonNode json(String text) {
        try {
            return Json.decode(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException malformed) {
            throw new IllegalArgumentException("not a path element: " + text, malformed);
        }
    }

    /** The name, if this is a field; otherwise null. */
    String fieldName() {
        return kind == Kind.FIELD ? text.substring(2) : null;
    }

    /** The form in which entries of managedFields have it. */
    String text() {
        return text;
    }

    @Override
    public int compareTo(PathElement other) {
        if (kind != other.kind) {
            return kind.compareTo(other.kind);
        }
        return switch (kind) {
            case FIELD -> text.compareTo(other.text);
            case KEY -> compareKeys((ObjectNode) value, (ObjectNode) other.value);
            case VALUE, INDEX -> Values.compare(value, other.value);
        };
    }

    /** First by the names, then by the values, as far as both go. */
    private static int compareKeys(ObjectNode one, ObjectNode other) {
        var left = one.properties().iterator();
        var right = other.properties().iterator();
        while (left.hasNext() && right.hasNext()) {
            Map.Entry<String, JsonNode> a = left.next();
            Map.Entry<String, JsonNode> b = right.next();
            int order = a.getKey().compareTo(b.getKey());
            order = order != 0 ? order : Values.compare(a.getValue(), b.getValue());
            if (order != 0) {
                return order;
            }
        }
        return Boolean.compare(left.hasNext(), right.hasNext());
    }

    @Override
    public boolean equals(Object other) {
        return this == other || (other instanceof PathElement element && text.equals(element.text));
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** As messages name it: {@code .spec}, {@code [name="web"]}, {@code [="a"]}. */
    @Override
    public String toString() {
        return switch (kind) {
            case FIELD -> "." + fieldName();
            case VALUE -> "[=" + value + "]";
            case INDEX -> "[" + value + "]";
            case KEY -> {
                StringBuilder keys = new StringBuilder();
                value.properties()
                        .forEach(entry -> keys.append(keys.isEmpty() ? "" : ",")
                                .append(entry.getKey())
                                .append('=')
                                .append(entry.getValue()));
                yield "[" + keys + "]";
            }
        };
    }
}
