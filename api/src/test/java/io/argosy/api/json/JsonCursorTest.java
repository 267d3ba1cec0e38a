package io.argosy.api.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The cursor sees in a text what a parser sees in it. */
class JsonCursorTest {
    private static final String[] NAMES = {
        "a", "metadata", "k:{\"ip\":\"10.0.0.1\"}", "naïve", "", "x\ny", "\uD83D\uDE00"
    };

    @Test
    void findsAFieldBehindWhatItSkips() {
        JsonCursor cursor = cursor(" {\"a\": [1, {\"b\": \"}\"}, \"\\\"]\"], \"b\" :{ }, \"c\" : \"found\" } ");
        cursor.enter();
        assertThat(cursor.nextField() && cursor.nameIs("a") && cursor.isArray()).isTrue();
        cursor.skip();
        assertThat(cursor.nextField() && cursor.nameIs("b") && cursor.isObject())
                .isTrue();
        cursor.skip();
        assertThat(cursor.nextField()).isTrue();
        assertThat(cursor.nameIs("d") || cursor.nameIs("cc")).isFalse();
        assertThat(cursor.name()).isEqualTo("c");
        assertThat(cursor.text()).isEqualTo("found");
        assertThat(cursor.nextField()).isFalse();
    }

    @Test
    void readsEveryTreeAsItIs() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 2_000; i++) {
            JsonNode tree = tree(random, 4);
            byte[] json = i % 2 == 0 ? Json.encode(tree) : tree.toPrettyString().getBytes(StandardCharsets.UTF_8);
            assertThat(read(JsonCursor.of(json))).as("seed " + seed).isEqualTo(tree);
            JsonCursor whole = JsonCursor.of(json);
            whole.skip();
            assertThat(whole.position()).as("seed " + seed).isEqualTo(json.length);
        }
    }

    @Test
    void treesAreThoseOfAParser() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 2_000; i++) {
            ObjectNode tree = Json.object();
            tree.set("a", tree(random, 4));
            byte[] json = i % 2 == 0 ? Json.encode(tree) : tree.toPrettyString().getBytes(StandardCharsets.UTF_8);
            assertThat(Json.decodeStored(json)).as("seed " + seed).isEqualTo(Json.decodeObject(json));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "-1",
                "2147483647",
                "2147483648",
                "-2147483649",
                "9223372036854775807",
                "9223372036854775808",
                "123456789012345678901234567890",
                "1.5",
                "-0.25",
                "1e3",
                "2E-7",
                "true",
                "false",
                "null",
                "\"\\u00e9\\n\""
            })
    void numbersAndWordsAreOfTheSameKinds(String value) {
        byte[] json = ("{\"a\":" + value + "}").getBytes(StandardCharsets.UTF_8);
        assertThat(Json.decodeStored(json)).isEqualTo(Json.decodeObject(json));
        assertThat(Json.decodeStored(json).get("a").getClass())
                .isEqualTo(Json.decodeObject(json).get("a").getClass());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "{", "{\"a", "{\"a\":", "{\"a\":[1", "{\"a\":\"x", "{\"a\":\"\\", "[{}"})
    void anEarlyEndIsSaid(String json) {
        assertThatThrownBy(() -> read(cursor(json))).isInstanceOf(UncheckedIOException.class);
        assertThatThrownBy(() -> cursor(json).skip()).isInstanceOf(UncheckedIOException.class);
        assertThatThrownBy(() -> Json.decodeStored(json.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(UncheckedIOException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "{\"a\" 1}",
                "{\"a\":1 \"b\":2}",
                "{a:1}",
                "{\"a\":}",
                "{\"a\":x}",
                "{\"a\":1}}",
                "{\"a\":[1 2]}",
                "{\"a\":[1}",
                "{\"a\":tru}",
                "{\"a\":1.2.3}",
                "{\"a\":--1}",
                "{,\"a\":1}",
                "{\"a\":1,}",
                "{\"a\":[1,]}"
            })
    void whatIsNoObjectIsRefused(String json) {
        assertThatThrownBy(() -> Json.decodeStored(json.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(UncheckedIOException.class);
    }

    private static JsonCursor cursor(String json) {
        return JsonCursor.of(json.getBytes(StandardCharsets.UTF_8));
    }

    /** The whole of it, as a tree. */
    private static JsonNode read(JsonCursor cursor) {
        if (cursor.isObject()) {
            ObjectNode object = Json.object();
            cursor.enter();
            while (cursor.nextField()) {
                String name = cursor.name();
                object.set(name, read(cursor));
            }
            return object;
        }
        if (cursor.isArray()) {
            ArrayNode array = Json.NODES.arrayNode();
            cursor.enter();
            while (cursor.nextElement()) {
                array.add(read(cursor));
            }
            return array;
        }
        if (cursor.isNull()) {
            cursor.skip();
            return Json.NODES.nullNode();
        }
        String text = cursor.text();
        return switch (text) {
            case "true", "false" -> Json.NODES.booleanNode(text.equals("true"));
            default ->
                text.matches("-?\\d+") ? Json.NODES.numberNode(Integer.parseInt(text)) : Json.NODES.textNode(text);
        };
    }

    private static JsonNode tree(Random random, int depth) {
        return switch (random.nextInt(depth == 0 ? 4 : 6)) {
            case 0 -> Json.NODES.nullNode();
            case 1 -> Json.NODES.booleanNode(random.nextBoolean());
            case 2 -> Json.NODES.numberNode(random.nextInt());
            case 3 -> Json.NODES.textNode(NAMES[random.nextInt(NAMES.length)] + "{[\\\"]}");
            case 4 -> {
                ObjectNode object = Json.object();
                for (int i = random.nextInt(5); i > 0; i--) {
                    object.set(NAMES[random.nextInt(NAMES.length)], tree(random, depth - 1));
                }
                yield object;
            }
            default -> {
                ArrayNode array = Json.NODES.arrayNode();
                for (int i = random.nextInt(5); i > 0; i--) {
                    array.add(tree(random, depth - 1));
                }
                yield array;
            }
        };
    }
}
