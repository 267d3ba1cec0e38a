package io.argosy.server.cel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How large the repetitions of a pattern are. */
class RepetitionTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            value = {
                "abc # 1",
                "a{3} # 3",
                "a{3,}b{2,7} # 7",
                "(a{10}b){20} # 200",
                "(a{10}(b{5}){4}c){3} # 60",
                "((a{100}){100}){100} # 1000000",
                "\\(a{5}\\){6} # 6",
                "[({]{7} # 7",
                "[]({]{7} # 7",
                "[^](]{8} # 8",
                "[[:alpha:](]{9} # 9",
                "\\Q(a{50}\\E{4} # 4",
                "a{x}{3} # 3",
                "a) # 1",
                "(a{4 # 1"
            })
    void countsMultiplyWithinEachOther(String pattern, long times) {
        assertThat(Repetition.of(pattern)).isEqualTo(times);
    }

    @Test
    void patternsAreOfBoundedSize() {
        assertThat(Repetition.excess("^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\\.[a-z]{1,20}){0,40}$"))
                .isEmpty();
        assertThat(Repetition.excess("((a{100}){100}){100}")).hasValue("invalid repeat count");
        assertThat(Repetition.excess("a{1000}".repeat(101))).hasValue("expression too large");
        assertThat(Repetition.excess("(".repeat(1001) + ")".repeat(1001))).hasValue("expression nests too deeply");
    }
}
