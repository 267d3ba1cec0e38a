package io.argosy.controllers.tokens;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.json.Json;
import io.argosy.controllers.tokens.LegacyToken.Verdict;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of a token in a Secret. */
class LegacyTokenTest {
    private static final Instant NOW = Instant.parse("2026-06-15T12:00:00Z");
    private static final Duration UNUSED = Duration.ofDays(365);

    private static LegacyToken token(String created, String lastUsed, String invalidSince, boolean deleting) {
        return new LegacyToken("ns", "s", "1", Instant.parse(created), lastUsed, invalidSince, "a", "", deleting);
    }

    @ParameterizedTest
    @CsvSource({
        // the rest of the first day is not known to be complete, so it does not count
        "2025-06-13, true",
        "2025-06-14, true",
        "2025-06-15, false",
        "2026-06-15, false",
        "'', false",
        "yesterday, false",
    })
    void useMustHaveBeenWrittenDownForLong(String since, boolean enough) {
        assertThat(LegacyToken.isKnownLongEnough(since, NOW, UNUSED)).isEqualTo(enough);
    }

    @ParameterizedTest
    @CsvSource({
        "2020-01-01T00:00:00Z, '', false, true",
        "2020-01-01T00:00:00Z, '', true, false",
        "2025-06-15T11:59:59Z, '', false, true",
        "2025-06-15T12:00:00Z, '', false, false",
        "2020-01-01T00:00:00Z, 2025-06-14, false, true",
        "2020-01-01T00:00:00Z, 2025-06-15, false, false",
        "2020-01-01T00:00:00Z, 2026-06-15, false, false",
        "2020-01-01T00:00:00Z, long ago, false, false",
    })
    void whatIsNewOrUsedOrGoingIsLeftAlone(String created, String lastUsed, boolean deleting, boolean unused) {
        assertThat(token(created, lastUsed, "", deleting).isUnused(NOW, UNUSED)).isEqualTo(unused);
    }

    @ParameterizedTest
    @CsvSource({
        "'', MARK",
        "soon, MARK",
        "2026-06-15, KEEP",
        "2025-06-15, KEEP",
        "2025-06-14, DELETE",
    })
    void whatIsUnusedIsMarkedAndDeletedAYearLater(String invalidSince, Verdict verdict) {
        assertThat(token("2020-01-01T00:00:00Z", "", invalidSince, false).verdict(NOW, UNUSED))
                .isEqualTo(verdict);
    }

    @Test
    void aSecretSaysItAll() {
        String secret = "{'metadata':{'namespace':'n','name':'s','resourceVersion':'7',"
                + "'creationTimestamp':'2020-01-01T00:00:00Z','deletionTimestamp':'2026-01-01T00:00:00Z',"
                + "'labels':{'kubernetes.io/legacy-token-last-used':'2024-01-01',"
                + "'kubernetes.io/legacy-token-invalid-since':'2025-01-01'},"
                + "'annotations':{'kubernetes.io/service-account.name':'a','kubernetes.io/service-account.uid':'b'}}}";
        assertThat(LegacyToken.of(Json.decodeObject(secret.replace('\'', '"').getBytes(StandardCharsets.UTF_8))))
                .isEqualTo(new LegacyToken(
                        "n",
                        "s",
                        "7",
                        Instant.parse("2020-01-01T00:00:00Z"),
                        "2024-01-01",
                        "2025-01-01",
                        "a",
                        "b",
                        true));
    }
}
