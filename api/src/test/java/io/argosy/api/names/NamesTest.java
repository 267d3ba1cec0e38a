package io.argosy.api.names;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The syntax of names. */
class NamesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                // name | subdomain | label | label1035 | label value | qualified | path segment
                "a | y | y | y | y | y | y",
                "a-b | y | y | y | y | y | y",
                "1a | y | y | n | y | y | y",
                "a.b | y | n | n | y | y | y",
                "A | n | n | n | y | y | y",
                "a_b | n | n | n | y | y | y",
                "-a | n | n | n | n | n | y",
                "a- | n | n | n | n | n | y",
                "a..b | n | n | n | y | y | y",
                ".a | n | n | n | n | n | y",
                "a b | n | n | n | n | n | y",
                "ä | n | n | n | n | n | y",
                "a/b | n | n | n | n | y | n",
                "A/b | n | n | n | n | n | n",
                "a/b/c | n | n | n | n | n | n",
                "/a | n | n | n | n | n | n",
                "a/ | n | n | n | n | n | n",
                "a%b | n | n | n | n | n | n",
                ". | n | n | n | n | n | n",
                ".. | n | n | n | n | n | n",
                "system:node | n | n | n | n | n | y",
            })
    void eachSyntaxTakesItsNames(
            String name,
            String subdomain,
            String label,
            String label1035,
            String value,
            String qualified,
            String segment) {
        assertThat(letter(Names.subdomainError(name))).as("subdomain").isEqualTo(subdomain);
        assertThat(letter(Names.labelError(name))).as("label").isEqualTo(label);
        assertThat(letter(Names.label1035Error(name))).as("label 1035").isEqualTo(label1035);
        assertThat(letter(Names.labelValueError(name))).as("label value").isEqualTo(value);
        assertThat(letter(Names.qualifiedNameError(name))).as("qualified").isEqualTo(qualified);
        assertThat(letter(Names.pathSegmentError(name))).as("segment").isEqualTo(segment);
    }

    private static String letter(Optional<String> error) {
        return error.isEmpty() ? "y" : "n";
    }

    @Test
    void lengthsAreBounded() {
        assertThat(Names.subdomainError("a".repeat(253))).isEmpty();
        assertThat(Names.subdomainError("a".repeat(254))).hasValue("must be no more than 253 characters");
        assertThat(Names.labelError("a".repeat(63))).isEmpty();
        assertThat(Names.labelError("a".repeat(64))).hasValue("must be no more than 63 characters");
        assertThat(Names.labelError("a.b")).hasValue("must not contain dots");
        assertThat(Names.labelValueError("a".repeat(64))).hasValue("must be no more than 63 bytes");
        assertThat(Names.qualifiedNameError("a".repeat(64))).hasValue("name part must be no more than 63 bytes");
        assertThat(Names.qualifiedNameError("a".repeat(254) + "/b"))
                .hasValue("prefix part must be no more than 253 bytes");
        assertThat(Names.labelValueError("")).isEmpty();
        assertThat(Names.subdomainError("")).isPresent();
    }

    @Test
    void generatedNamesFitIntoALabel() {
        assertThat(Names.generate("web-")).matches("web-[bcdfghjklmnpqrstvwxz2456789]{5}");
        assertThat(Names.generate("x".repeat(300))).hasSize(63).startsWith("x".repeat(58));
    }
}
