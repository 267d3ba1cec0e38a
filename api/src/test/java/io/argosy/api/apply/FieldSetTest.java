package io.argosy.api.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.api.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sets of paths: their written form and how they combine. */
class FieldSetTest {
    private static FieldSet set(String json) throws IOException {
        return FieldSet.fromJson(Json.decode(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{'f:data':{'.':{},'f:a':{}}}",
                "{'f:spec':{'f:containers':{'k:{\\'name\\':\\'c\\'}':{'.':{},'f:image':{}}}}}",
                "{'f:ports':{'k:{\\'containerPort\\':80,\\'protocol\\':\\'TCP\\'}':{}}}",
                "{'f:finalizers':{'v:\\'a\\'':{},'v:\\'b\\'':{}}}",
                "{'f:list':{'i:0':{},'i:1':{}}}"
            })
    void writtenFormIsReadAndWrittenAlike(String json) throws IOException {
        assertThat(set(json)).hasToString(json.replace('\'', '"'));
    }

    @Test
    void writtenFormIsInOrderWhateverWasRead() throws IOException {
        assertThat(set("{'v:\\'b\\'':{},'k:{\\'b\\':1,\\'a\\':2}':{},'v:10':{},'f:b':{},'v:9':{},'f:a':{}}"))
                .hasToString("{'f:a':{},'f:b':{},'k:{\\'a\\':2,\\'b\\':1}':{},'v:9':{},'v:10':{},'v:\\'b\\'':{}}"
                        .replace('\'', '"'));
    }

    @Test
    void unknownFormsAreLeftOutAndBrokenOnesRefused() throws IOException {
        assertThat(set("{'x:new':{},'f:a':{}}")).hasToString("{\"f:a\":{}}");
        assertThatThrownBy(() -> set("{'nonsense':{}}")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> set("{'k:[1':{}}")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> set("{'k:3':{}}")).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'f:a':{}} | {'f:b':{}} | {'f:a':{},'f:b':{}} | {} | {'f:a':{}}",
                "{'f:a':{'f:x':{}}} | {'f:a':{}} | {'f:a':{'.':{},'f:x':{}}} | {} | {'f:a':{'f:x':{}}}",
                "{'f:a':{'.':{},'f:x':{}}} | {'f:a':{}} | {'f:a':{'.':{},'f:x':{}}} | {'f:a':{}} | {'f:a':{'f:x':{}}}",
                "{'f:a':{'f:x':{},'f:y':{}}} | {'f:a':{'f:y':{},'f:z':{}}} | {'f:a':{'f:x':{},'f:y':{},'f:z':{}}}"
                        + " | {'f:a':{'f:y':{}}} | {'f:a':{'f:x':{}}}"
            })
    void setsCombine(String one, String other, String union, String intersection, String difference)
            throws IOException {
        assertThat(set(one).union(set(other))).isEqualTo(set(union));
        assertThat(set(one).intersection(set(other))).isEqualTo(set(intersection));
        assertThat(set(one).difference(set(other))).isEqualTo(set(difference));
    }

    @Test
    void wholeBranchesAreTakenOutOrKept() throws IOException {
        FieldSet all = set("{'f:spec':{'f:a':{}},'f:status':{'.':{},'f:b':{}}}");
        assertThat(all.without(FieldSet.ofFields("status"))).isEqualTo(set("{'f:spec':{'f:a':{}}}"));
        assertThat(all.under(FieldSet.ofFields("status"))).isEqualTo(set("{'f:status':{'.':{},'f:b':{}}}"));
    }

    @Test
    void pathsReadAsInMessages() throws IOException {
        assertThat(set("{'f:a':{'k:{\\'name\\':\\'c\\',\\'port\\':1}':{'.':{},'f:image':{}},'v:\\'x\\'':{}}}")
                        .paths())
                .containsExactly(".a[name=\"c\",port=1]", ".a[=\"x\"]", ".a[name=\"c\",port=1].image");
    }
}
