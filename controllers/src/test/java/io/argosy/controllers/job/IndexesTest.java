package io.argosy.controllers.job;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IndexesTest {
    @ParameterizedTest(name = "''{0}'' below {1} is ''{2}''")
    @CsvSource({
        "'', 5, ''",
        "'0', 5, '0'",
        "'0,1', 5, '0,1'",
        "'0-2', 5, '0-2'",
        "'0,2-4,7', 10, '0,2-4,7'",
        "'0-9', 5, '0-4'",
        "'rubbish', 5, ''",
        "'3-1', 5, ''"
    })
    void readsAndWrites(String text, int limit, String expected) {
        assertThat(Indexes.parse(text, limit)).hasToString(expected);
    }

    @Test
    void findsTheLowestThatAreMissing() {
        assertThat(Indexes.parse("0,2-3", 6).missing(2, 6)).containsExactly(1, 4);
        assertThat(Indexes.parse("0-5", 6).missing(2, 6)).isEmpty();
    }
}
