package io.argosy.api.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigInteger;

/** Reads trees from JSON that we keep: the same trees that a parser makes, without its table of names ({@link JsonCursor} says why). */
final class StoredTree {
    private final JsonCursor cursor;
    private final int length;

    private StoredTree(byte[] json) {
        this.cursor = JsonCursor.of(json);
        this.length = json.length;
    }

    /** The one object in the text; an {@link java.io.UncheckedIOException} if it is none. */
    static ObjectNode read(byte[] json) {
        StoredTree tree = new StoredTree(json);
        if (!tree.cursor.isObject()) {
            throw tree.cursor.malformed();
        }
        ObjectNode object = tree.object();
        if (tree.cursor.position() != tree.length) {
            throw tree.cursor.malformed();
        }
        return object;
    }

    private JsonNode value() {
        if (cursor.isText()) {
            return Json.NODES.textNode(cursor.text());
        }
        if (cursor.isObject()) {
            return object();
        }
        return cursor.isArray() ? array() : scalar(cursor.text());
    }

    private ObjectNode object() {
        ObjectNode object = Json.object();
        cursor.enter();
        while (cursor.nextField()) {
            String name = cursor.name();
            object.set(name, value());
        }
        return object;
    }

    private ArrayNode array() {
        ArrayNode array = Json.NODES.arrayNode();
        cursor.enter();
        while (cursor.nextElement()) {
            array.add(value());
        }
        return array;
    }

    private JsonNode scalar(String text) {
        return switch (text) {
            case "true" -> Json.NODES.booleanNode(true);
            case "false" -> Json.NODES.booleanNode(false);
            case "null" -> Json.NODES.nullNode();
            default -> number(text);
        };
    }

    private JsonNode number(String text) {
        try {
            if (text.indexOf('.') >= 0 || text.indexOf('e') >= 0 || text.indexOf('E') >= 0) {
                return Json.NODES.numberNode(Double.parseDouble(text));
            }
            if (text.length() > 18) {
                BigInteger big = new BigInteger(text);
                return big.bitLength() < Long.SIZE
                        ? Json.NODES.numberNode(big.longValue())
                        : Json.NODES.numberNode(big);
            }
            long number = Long.parseLong(text);
            return number == (int) number ? Json.NODES.numberNode((int) number) : Json.NODES.numberNode(number);
        } catch (NumberFormatException e) {
            throw cursor.malformed();
        }
    }
}
