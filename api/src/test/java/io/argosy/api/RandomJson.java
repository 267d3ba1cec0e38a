package io.argosy.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import java.util.List;
import java.util.Random;

/** Trees as no one would write them, for properties that hold for all. The names are few, so that trees have some in common. */
public final class RandomJson {
    private static final List<String> NAMES =
            List.of("a", "b", "c", "", "a/b", "a~b", "~1", "-", "0", "1", "$patch", "metadata", "\u00e9", "x y");
    private static final List<String> TEXTS = List.of(
            "",
            "a",
            "null",
            "true",
            "yes",
            "0",
            "1e3",
            "-",
            "- a",
            "a: b",
            "# no",
            "\"",
            "'",
            "\\",
            "\n",
            "a\n b\n",
            "\t",
            " a ",
            "\u0001",
            "\u0085",
            "\u2028",
            "\ud83d\ude00",
            "{}",
            "[]",
            "&a",
            "*a",
            "!b",
            "%",
            "@",
            "2026-01-01");

    private final Random random;

    /** Null is a value in JSON, and the order to remove in patches: those who compare with patches go without. */
    private final boolean nulls;

    public RandomJson(Random random, boolean nulls) {
        this.random = random;
        this.nulls = nulls;
    }

    public ObjectNode object(int depth) {
        ObjectNode object = Json.object();
        for (int i = random.nextInt(5); i > 0; i--) {
            object.set(name(), tree(depth - 1));
        }
        return object;
    }

    public JsonNode tree(int depth) {
        return switch (random.nextInt(depth > 0 ? 8 : 6)) {
            case 0 -> Json.NODES.textNode(text());
            case 1 -> Json.NODES.numberNode(random.nextInt(20) - 10);
            case 2 -> Json.NODES.numberNode(random.nextLong());
            case 3 -> Json.NODES.booleanNode(random.nextBoolean());
            case 4 -> Json.NODES.numberNode(random.nextInt(1000) / 8.0 + 0.0625);
            case 5 -> nulls ? Json.NODES.nullNode() : Json.NODES.textNode(text());
            case 6 -> object(depth);
            default -> {
                ArrayNode array = Json.NODES.arrayNode();
                for (int i = random.nextInt(4); i > 0; i--) {
                    array.add(tree(depth - 1));
                }
                yield array;
            }
        };
    }

    public String name() {
        return NAMES.get(random.nextInt(NAMES.size()));
    }

    public String text() {
        if (random.nextInt(3) > 0) {
            return TEXTS.get(random.nextInt(TEXTS.size()));
        }
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(12); i > 0; i--) {
            text.append(
                    random.nextBoolean() ? (char) (' ' + random.nextInt(95)) : (char) (0xa0 + random.nextInt(0x500)));
        }
        return text.toString();
    }

    /** Any bytes, of which some are such as text is made of. */
    public byte[] bytes(int most) {
        byte[] bytes = new byte[random.nextInt(most)];
        random.nextBytes(bytes);
        for (int i = 0; i < bytes.length; i++) {
            if (random.nextInt(4) > 0) {
                bytes[i] = (byte) "{}[]\":,0-9tn \n&*!|>a".charAt(random.nextInt(20));
            }
        }
        return bytes;
    }
}
