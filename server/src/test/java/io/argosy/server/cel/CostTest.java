package io.argosy.server.cel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.cel.common.types.ListType;
import dev.cel.common.types.SimpleType;
import io.argosy.server.cel.Expressions.EvaluationException;
import io.argosy.server.cel.Expressions.Expression;
import io.argosy.server.cel.Expressions.Scope;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What evaluations cost: what they read counts, not only how many steps they take. */
class CostTest {
    private static final Scope SCOPE = new Scope(
            Map.of("s", SimpleType.STRING, "l", ListType.create(SimpleType.STRING), "n", SimpleType.INT), Map.of());

    private static Map<String, Object> values(int length) {
        return Map.of("s", "x".repeat(length), "l", Collections.nCopies(10, "0123456789"), "n", 3L);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        true | 0
        n == 3 | 2
        n == 3 && (n > 2 ? true : n < 1) | 4
        s == 'x' | 2
        s == s | 12
        s + s == '' | 22
        s.matches('a.c') | 12
        s.matches('abcdefgh') | 23
        s.contains('0123456789ab') | 21
        s.startsWith('x') | 11
        s.find('[0-9]') == '' | 23
        s.replace('x', 'y') == '' | 21
        'x' in l | 11
        l.join(',') == '' | 23
        l.indexOf('x') == 0 | 12
        [1, 2] == [] | 20
        {'a': 1}.a == 1 | 32
        isQuantity(s) | 11
        isIP(s) && false | 11
        format.dns1123Label().validate(s).hasValue() | 91
        sets.contains(l, l) | 103
        l.all(x, x != '') | 42
        lists.range(5) == [] | 26
        l.sort() == l | 224
        l.reverse().size() == 10 | 24
        l.slice(1, 3).size() == 2 | 16
        """)
    void argumentsCostWhatTheirSizeSays(String expression, long cost) throws Exception {
        assertThat(SCOPE.compile(expression).evaluate(values(100), 1_000_000).cost())
                .isEqualTo(cost);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "l.all(x, l.all(y, !s.matches('(x+)+y')))",
                "l.all(x, l.all(y, !s.contains('xxxxxxxxxxxxxxxy')))",
                "l.all(x, l.all(y, s + 'x' != s))",
                "lists.range(n * size(s)).size() > 0",
                "l.all(x, l.all(y, !s.matches('(x+)+y'))) || n == 3",
                "l.exists(x, l.exists(y, s.matches('(x+)+y'))) && false || true",
            })
    void readingALargeTextOverAndOverIsEnded(String expression) throws Exception {
        Expression compiled = SCOPE.compile(expression);
        EvaluationException ended = catchThrowableOfType(
                EvaluationException.class, () -> compiled.evaluate(values(1_000_000), Expressions.CALL_LIMIT));
        assertThat(ended).hasMessage("operation cancelled: actual cost limit exceeded");
        assertThat(ended.overBudget()).isTrue();
        assertThat(compiled.evaluate(values(10), Expressions.CALL_LIMIT).cost()).isLessThan(10_000);
    }

    @Test
    void aPatternOfAnObjectIsOfBoundedSize() throws Exception {
        Expression expression = SCOPE.compile("'a'.matches(s)");
        EvaluationException refused = catchThrowableOfType(
                EvaluationException.class,
                () -> expression.evaluate(Map.of("s", "((a{1000}){1000}){1000}"), Expressions.CALL_LIMIT));
        assertThat(refused).hasMessageContaining("invalid repeat count");
    }

    @Test
    void aCallThatCostsTooMuchIsNotMade() throws Exception {
        Scope scope = new Scope(Map.of("big", ListType.create(SimpleType.STRING)), Map.of());
        List<String> untouchable = new java.util.AbstractList<>() {
            @Override
            public String get(int index) {
                throw new AssertionError("the list is read");
            }

            @Override
            public int size() {
                return 10_000_000;
            }
        };
        EvaluationException ended = catchThrowableOfType(
                EvaluationException.class,
                () -> scope.compile("'a' in big").evaluate(Map.of("big", untouchable), Expressions.CALL_LIMIT));
        assertThat(ended.overBudget()).isTrue();
    }
}
