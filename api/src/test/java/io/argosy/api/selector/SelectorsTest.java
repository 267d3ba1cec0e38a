package io.argosy.api.selector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Label and field selectors: what they match, and what is none. */
class SelectorsTest {
    private static final Map<String, String> LABELS =
            Map.of("app", "web", "tier", "", "size", "5", "example.com/a", "b");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                " | true",
                "app | true",
                "!app | false",
                "! app | false",
                "app=web | true",
                "app = web | true",
                "app==web | true",
                "app!=web | false",
                "missing!=web | true",
                "app=api | false",
                "tier= | true",
                "tier | true",
                "app in (web,api) | true",
                "app in ( web , api ) | true",
                "app in (api) | false",
                "app notin (api) | true",
                "missing notin (api) | true",
                "tier in (,x) | true",
                "size>4 | true",
                "size>5 | false",
                "size<6,app=web | true",
                "app>4 | false",
                "missing<4 | false",
                "example.com/a=b | true",
                "app=web,tier,!missing,size in (5) | true",
            })
    void labelSelectorsMatch(String selector, boolean expected) {
        assertThat(LabelSelector.parse(selector).matches(LABELS)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ",",
                "=",
                "a=b=c",
                "a in",
                "a in b",
                "a in (b",
                "a in b)",
                "(a)",
                "a,,b",
                "a,",
                "!",
                "!!a",
                "a!b",
                "a>b",
                "a>",
                "a b",
                "-a=b",
                "a=-b",
                "a/b/c=d",
                "/a",
                "a/",
                "a=b,c in (d",
                "a\u0000=b"
            })
    void whatIsNoLabelSelectorIsRefused(String selector) {
        assertThatThrownBy(() -> LabelSelector.parse(selector))
                .isInstanceOf(ApiException.class)
                .hasMessageStartingWith("unable to parse requirement: ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{} | true",
                "{'matchLabels':{'app':'web'}} | true",
                "{'matchLabels':{'app':'web','x':'y'}} | false",
                "{'matchExpressions':[{'key':'app','operator':'In','values':['web']}]} | true",
                "{'matchExpressions':[{'key':'app','operator':'NotIn','values':['web']}]} | false",
                "{'matchExpressions':[{'key':'app','operator':'Exists'},{'key':'x','operator':'DoesNotExist'}]} | true",
            })
    void selectorObjectsMatch(String selector, boolean expected) throws IOException {
        byte[] json = selector.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
        assertThat(LabelSelector.of(Json.decode(json)).matches(LABELS)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                " | true",
                "a=1 | true",
                "a==1 | true",
                "a!=1 | false",
                "a=1,b=x\\,y | true",
                "b=x\\,y,a!=2 | true",
                "c= | true",
                "c!= | false",
                "a=1,,b=x\\,y | true",
                "d=p\\=q | true",
                "d=p=q | true",
            })
    void fieldSelectorsMatch(String selector, boolean expected) {
        Map<String, String> fields = new HashMap<>(Map.of("a", "1", "b", "x,y", "d", "p=q"));
        assertThat(FieldSelector.parse(selector).matches(fields)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a,b=c", "a>1", "\\", "a\\=b"})
    void whatIsNoFieldSelectorIsRefused(String selector) {
        assertThatThrownBy(() -> FieldSelector.parse(selector))
                .isInstanceOf(ApiException.class)
                .hasMessageStartingWith("invalid selector: ");
    }
}
