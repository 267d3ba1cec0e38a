package io.argosy.api.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class FieldErrorsTest {
    @Test
    void textsAreQuotedSoThatTheyEndWhereTheyEnd() {
        FieldErrors errors = new FieldErrors();
        errors.invalid("a", "x\"y\\z\n\t\u0001ä", "wrong");
        errors.notSupported("b", "q\"", List.of("Yes"));
        assertThat(errors.causes())
                .extracting(Cause::message)
                .containsExactly(
                        "Invalid value: \"x\\\"y\\\\z\\n\\t\\x01ä\": wrong",
                        "Unsupported value: \"q\\\"\": supported values: \"Yes\"");
    }
}
