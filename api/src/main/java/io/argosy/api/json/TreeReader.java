package io.argosy.api.json;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;

/** Builds trees from JSON or YAML that others wrote: tells of keys that come twice, and lets nothing in that could not be written again. */
final class TreeReader {
    private static final char REPLACEMENT = '\uFFFD';

    private final JsonParser parser;
    private final Duplicates duplicates;
    private final Anchors anchors; // null where values have no names, as in JSON

    /** Hears of a key that an object has already, before its value is read. */
    interface Duplicates {
        void found(String key, String path, JsonParser at);
    }

    TreeReader(JsonParser parser, Duplicates duplicates) {
        this(parser, duplicates, null);
    }

    TreeReader(JsonParser parser, Duplicates duplicates, Anchors anchors) {
        this.parser = parser;
        this.duplicates = duplicates;
        this.anchors = anchors;
    }

    /** The only value in the text; missing if there is none. */
    JsonNode read() throws IOException {
        JsonNode tree = first();
        if (!tree.isMissingNode() && parser.nextToken() != null) {
            throw new JsonParseException(parser, "invalid character after top-level value");
        }
        return tree;
    }

    /** The first value in the text, whatever comes after it; missing if there is none. */
    JsonNode first() throws IOException {
        return parser.nextToken() == null ? MissingNode.getInstance() : value(null, "");
    }

    private JsonNode value(Place parent, String step) throws IOException {
        return anchors == null ? plain(parent, step) : anchored(parent, step);
    }

    private JsonNode anchored(Place parent, String step) throws IOException {
        if (anchors.isAlias()) {
            return anchors.meant();
        }
        String name = anchors.name();
        JsonNode value = plain(parent, step);
        if (name != null) {
            anchors.remember(name, value);
        }
        return value;
    }

    private JsonNode plain(Place parent, String step) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(step.isEmpty() && parent != null ? parent : new Place(parent, step, -1));
            case START_ARRAY -> array(parent, step);
            case VALUE_STRING -> Json.NODES.textNode(wellFormed(parser.getText()));
            case VALUE_NUMBER_INT ->
                switch (parser.getNumberType()) {
                    case INT -> Json.NODES.numberNode(parser.getIntValue());
                    case LONG -> Json.NODES.numberNode(parser.getLongValue());
                    default -> Json.NODES.numberNode(parser.getBigIntegerValue());
                };
            case VALUE_NUMBER_FLOAT -> Json.NODES.numberNode(finite(parser.getDoubleValue()));
            case VALUE_TRUE -> Json.NODES.booleanNode(true);
            case VALUE_FALSE -> Json.NODES.booleanNode(false);
            default -> Json.NODES.nullNode();
        };
    }

    private ObjectNode object(Place here) throws IOException {
        ObjectNode object = Json.object();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String key = wellFormed(parser.currentName());
            if (object.has(key)) {
                duplicates.found(key, new Place(here, key, -1).path(), parser);
            }
            parser.nextToken();
            object.set(key, value(here, key));
        }
        if (anchors != null) {
            anchors.merge(object);
        }
        return object;
    }

    private ArrayNode array(Place parent, String step) throws IOException {
        ArrayNode array = Json.NODES.arrayNode();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            Place here = new Place(parent, step, array.size());
            array.add(value(here, ""));
        }
        return array;
    }

    private double finite(double number) throws IOException {
        if (Double.isInfinite(number) || Double.isNaN(number)) {
            throw new JsonParseException(parser, "number out of range");
        }
        return number;
    }

    /** Half of a surrogate pair is no character and has no encoding; it becomes the replacement character. */
    static String wellFormed(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                return repaired(text);
            }
        }
        return text;
    }

    private static String repaired(String text) {
        StringBuilder repaired = new StringBuilder(text);
        for (int i = 0; i < repaired.length(); i++) {
            char c = repaired.charAt(i);
            boolean pair = Character.isHighSurrogate(c)
                    && i + 1 < repaired.length()
                    && Character.isLowSurrogate(repaired.charAt(i + 1));
            if (pair) {
                i++;
            } else if (Character.isSurrogate(c)) {
                repaired.setCharAt(i, REPLACEMENT);
            }
        }
        return repaired.toString();
    }

    /** Where in the document we are; written out only when there is something to say. */
    private record Place(Place parent, String step, int index) {
        String path() {
            String above = parent == null ? "" : parent.path();
            String dotted = above.isEmpty() || step.isEmpty() ? above + step : above + "." + step;
            return index < 0 ? dotted : dotted + "[" + index + "]";
        }
    }
}
