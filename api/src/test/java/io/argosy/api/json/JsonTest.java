package io.argosy.api.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** JSON and YAML from outside. */
class JsonTest {
    private static JsonNode decode(String text) throws IOException {
        return Json.decode(text.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"a\":[1,-2,3.5,1e3,true,false,null,\"x\",{},[]],\"b\":{\"c\":12345678901,\"d\":123456789012345678901234567890}}",
                "[]",
                "\"x\"",
                "7",
                "null",
                "{\"ü\":\"\\u00fc\\ud83d\\ude00\"}"
            })
    void treesAreTheSameAfterARoundTrip(String text) throws IOException {
        JsonNode tree = decode(text);
        assertThat(Json.decode(Json.encode(tree))).isEqualTo(tree);
    }

    @Test
    void keysThatComeTwiceAreReportedWithTheirPath() throws IOException {
        List<String> twice = new ArrayList<>();
        String text =
                "{\"a\":1,\"a\":2,\"b\":[{\"c\":1},{\"c\":1,\"c\":2}],\"d\":{\"e\":{\"f\":1,\"f\":1}},\"g\":[[{\"h\":1,\"h\":2}]]}";
        JsonNode tree = Json.decode(text.getBytes(StandardCharsets.UTF_8), twice::add);
        assertThat(twice).containsExactly("a", "b[1].c", "d.e.f", "g[0][0].h");
        assertThat(tree.path("a").asInt()).isEqualTo(2);
    }

    @Test
    void loneSurrogatesAreReplacedAndPairsKept() throws IOException {
        assertThat(decode("\"\\ud800\"").asText()).isEqualTo("\uFFFD");
        assertThat(decode("\"\\udc00a\\ud83d\\ude00\"").asText()).isEqualTo("\uFFFDa\ud83d\ude00");
        assertThatThrownBy(() -> decode("{\"\\ud800\":1}")).isInstanceOf(IOException.class);
        Json.encode(decode("\"\\ud800\\ud800\\udc00\\udc00\""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "[1,]",
                "{\"a\" 1}",
                "01",
                "1e999",
                "-1e999",
                "NaN",
                "{} 1",
                "{\"a\":1,}",
                "'x'",
                "\"\u0001\"",
                "tru"
            })
    void brokenTextIsRefused(String text) {
        assertThatThrownBy(() -> decode(text)).isInstanceOf(IOException.class);
    }

    @Test
    void nestingIsBounded() throws IOException {
        decode("[".repeat(150) + "]".repeat(150));
        assertThatThrownBy(() -> decode("[".repeat(100_000))).isInstanceOf(IOException.class);
    }

    @Test
    void nothingIsMissing() throws IOException {
        assertThat(decode("").isMissingNode()).isTrue();
        assertThat(decode(" \n").isMissingNode()).isTrue();
    }

    @Test
    void brokenYamlIsRefusedLikeBrokenJson() {
        for (String text : new String[] {"a: [", "\t- x", "a: b: c", "[".repeat(1000), "\u0001"}) {
            assertThatThrownBy(() -> Yaml.decode(text.getBytes(StandardCharsets.UTF_8)))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void whatYamlLeavesOutIsNothingAndNotAnEmptyText() throws IOException {
        byte[] yaml = "a:\nb: ~\nc: ''\nd: [~, x]\n".getBytes(StandardCharsets.UTF_8);
        assertThat(Yaml.decode(yaml)).hasToString("{\"a\":null,\"b\":null,\"c\":\"\",\"d\":[null,\"x\"]}");
    }
}
