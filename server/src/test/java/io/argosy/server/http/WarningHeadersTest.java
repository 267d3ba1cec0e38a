package io.argosy.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How much clients are told. */
class WarningHeadersTest {
    @Test
    void aLongWarningIsWholeAsLongAsItIsTheOnlyOne() {
        String text = "x".repeat(1000);
        assertThat(WarningHeaders.of(List.of(text))).containsExactly("299 - \"" + text + "\"");
    }

    @Test
    void ofManyLongOnesClientsSeeTheBeginnings() {
        List<String> headers = WarningHeaders.of(Collections.nCopies(50, "x".repeat(1000)));
        assertThat(headers).hasSize(16).allMatch(header -> header.equals("299 - \"" + "x".repeat(256) + "\""));
    }

    @Test
    void whatAHeaderCannotCarryIsQuotedOrReplaced() {
        assertThat(WarningHeaders.of(List.of("a \"b\" \\ \n\u00e4"))).containsExactly("299 - \"a \\\"b\\\" \\\\ ??\"");
    }
}
