package io.argosy.server.cel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cel.common.types.SimpleType;
import io.argosy.server.cel.Expressions.Scope;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Asking for what may not be there, of things of which nothing is known before. */
class OptionalIndexTest {
    private static final Scope SCOPE = new Scope(Map.of("d", SimpleType.DYN), Map.of());

    @ParameterizedTest
    @ValueSource(
            strings = {
                "d[?'extra'].hasValue()",
                "d.extra[?'key'][0] == optional.of('v')",
                "d.extra[?'key'][?0].orValue('') == 'v'",
                "d.extra[?'key'][?9].orValue('none') == 'none'",
                "!d.extra[?'other'][0].hasValue()",
                "d.?extra.key[0].orValue('') == 'v'",
                "d.?extra['key'][0].orValue('') == 'v'",
                "d.?extra[?'key'][0].orValue('') == 'v'",
                "d.?extra[?'other'][0].orValue('x') == 'x'",
                "d.extra[?d.name][0].orValue('') == 'v'",
                "d.extra.key[?d.zero].orValue('') == 'v'",
                "d.?extra[d.name][d.zero].orValue('') == 'v'",
                "d.extra[?'key'].orValue([])[0] == 'v'",
                "d.extra[d.name][d.zero] == 'v'",
                "optional.of({1: 'v'})[d.zero + 1].orValue('') == 'v'",
                "optional.of(dyn({1: 'v'}))[1].orValue('') == 'v'",
                "optional.of(['v'])[0].orValue('') == 'v'",
            })
    void anIndexIntoSomethingUnknownFindsWhatIsThere(String expression) throws Exception {
        Map<String, Object> known = Map.of("extra", Map.of("key", List.of("v")), "name", "key", "zero", 0L);
        assertThat(SCOPE.compile(expression)
                        .evaluate(Map.of("d", known), 1_000_000)
                        .value())
                .isEqualTo(true);
    }
}
