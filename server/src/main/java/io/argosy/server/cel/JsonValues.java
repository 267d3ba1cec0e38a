package io.argosy.server.cel;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.ByteString;
import dev.cel.common.values.CelByteString;
import dev.cel.common.values.NullValue;
import io.argosy.api.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Trees as expressions see them where no schema says more, and what expressions make as trees. */
public final class JsonValues {
    private JsonValues() {}

    /** Null, in an expression, for what is not there. */
    public static Object of(JsonNode node) {
        if (node == null) {
            return NullValue.NULL_VALUE;
        }
        return switch (node.getNodeType()) {
            case OBJECT -> {
                Map<String, Object> map = new LinkedHashMap<>();
                node.properties().forEach(entry -> map.put(entry.getKey(), of(entry.getValue())));
                yield map;
            }
            case ARRAY -> {
                List<Object> list = new ArrayList<>(node.size());
                node.forEach(one -> list.add(of(one)));
                yield list;
            }
            case STRING -> node.asText();
            case BOOLEAN -> node.asBoolean();
            case NUMBER -> node.isIntegralNumber() ? (Object) node.asLong() : (Object) node.asDouble();
            default -> NullValue.NULL_VALUE;
        };
    }

    /** The tree of a value; an argument exception for values that have no form in JSON. */
    public static JsonNode tree(Object value) {
        return switch (value) {
            case null -> Json.NODES.nullNode();
            case NullValue none -> Json.NODES.nullNode();
            case String text -> Json.NODES.textNode(text);
            case Boolean truth -> Json.NODES.booleanNode(truth);
            case Long number -> integer(number);
            case Double number -> Json.NODES.numberNode(number);
            case Optional<?> optional -> tree(optional.orElse(null));
            case List<?> list -> {
                ArrayNode array = Json.NODES.arrayNode();
                list.forEach(one -> array.add(tree(one)));
                yield array;
            }
            case Map<?, ?> map -> {
                ObjectNode object = Json.object();
                map.forEach((key, one) -> object.set(String.valueOf(key), tree(one)));
                yield object;
            }
            case Instant time -> Json.NODES.textNode(time.toString());
            case Duration duration -> Json.NODES.textNode(duration.toSeconds() + "s");
            case CelByteString bytes -> Json.NODES.textNode(Base64.getEncoder().encodeToString(bytes.toByteArray()));
            case ByteString bytes -> Json.NODES.textNode(Base64.getEncoder().encodeToString(bytes.toByteArray()));
            default -> throw new IllegalArgumentException("unsupported conversion to JSON: " + value.getClass());
        };
    }

    /** Small numbers stay small, so that a number equals the same number read from JSON. */
    private static JsonNode integer(long number) {
        return number == (int) number ? Json.NODES.numberNode((int) number) : Json.NODES.numberNode(number);
    }
}
