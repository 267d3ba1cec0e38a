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
import org.junit.jupiter.params.provider.CsvSource;
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
    void tabsMayIndentWhatStandsBetweenBrackets() throws IOException {
        byte[] yaml = "{\n\t\"a\": {\n\t\t \"b\": \"c\\td\",\n\t}\n}".getBytes(StandardCharsets.UTF_8);
        assertThat(Yaml.decode(yaml)).hasToString("{\"a\":{\"b\":\"c\\td\"}}");
    }

    @Test
    void whatYamlLeavesOutIsNothingAndNotAnEmptyText() throws IOException {
        byte[] yaml = "a:\nb: ~\nc: ''\nd: [~, x]\n".getBytes(StandardCharsets.UTF_8);
        assertThat(Yaml.decode(yaml)).hasToString("{\"a\":null,\"b\":null,\"c\":\"\",\"d\":[null,\"x\"]}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{a: &x b, c: *x} | {'a':'b','c':'b'}",
                "{a: &x 7, c: [*x, *x]} | {'a':7,'c':[7,7]}",
                "{a: &x {k: v}, c: [*x, {d: *x}]} | {'a':{'k':'v'},'c':[{'k':'v'},{'d':{'k':'v'}}]}",
                "{a: &x [1], b: &x [2], c: *x} | {'a':[1],'b':[2],'c':[2]}",
                "{a: &x {k: v, l: w}, c: {<<: *x, l: z}} | {'a':{'k':'v','l':'w'},'c':{'l':'z','k':'v'}}",
                "{a: &x {k: 1}, b: &y {k: 2, m: 3}, c: {<<: [*x, *y]}} |"
                        + " {'a':{'k':1},'b':{'k':2,'m':3},'c':{'k':1,'m':3}}",
                "{c: [&x [1], 2, *x]} | {'c':[[1],2,[1]]}",
                "{c: '*x'} | {'c':'*x'}",
            })
    void namedValuesStandWhereTheirNamesDo(String yaml, String json) throws IOException {
        assertThat(Yaml.decode(yaml.getBytes(StandardCharsets.UTF_8))).hasToString(json.replace('\'', '"'));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{a: *x}",
                "&x {a: *x}",
                "{a: {<<: 5}}",
                "{a: &a [x,x,x,x,x,x,x,x,x,x], b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a], c: &c"
                        + " [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b], d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c], e:"
                        + " [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]}"
            })
    void namesOfNothingOrOfTooMuchAreRefused(String yaml) {
        assertThatThrownBy(() -> Yaml.decode(yaml.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(IOException.class);
    }
}
