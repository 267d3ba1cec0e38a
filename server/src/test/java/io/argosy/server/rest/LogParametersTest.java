package io.argosy.server.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.api.status.ApiException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients in many languages ask for logs; nodes are told in one. */
class LogParametersTest {
    private static Params params(String query) {
        Map<String, List<String>> values = new HashMap<>();
        for (String pair : query.split("&")) {
            String[] parts = pair.split("=", -1);
            values.put(parts[0], List.of(parts[1]));
        }
        return new Params(values);
    }

    @ParameterizedTest
    @CsvSource({
        "follow=true, true", "follow=True, true", "follow=1, true", "follow=, true",
        "follow=false, false", "follow=False, false", "follow=0, false", "tailLines=5, false"
    })
    void aFlagIsAYesUnlessItIsAClearNo(String query, String follow) {
        assertThat(LogParameters.of(params(query), "p")).containsEntry("follow", follow);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tailLines=-1 | tailLines: Invalid value: -1: must be greater than or equal to 0",
                "limitBytes=0 | limitBytes: Invalid value: 0: must be greater than 0",
                "sinceSeconds=0 | sinceSeconds: Invalid value: 0: must be greater than 0",
                "stream=Stderr | stream: Forbidden: may not be specified",
                "stream=All&tailLines=1 | stream: Forbidden: may not be specified",
                "stream= | stream: Forbidden: may not be specified",
                "sinceSeconds=5&sinceTime=2026-01-01T00:00:00Z | at most one of `sinceTime` or `sinceSeconds` may be",
            })
    void whatMakesNoSenseIsRefused(String query, String message) {
        assertThatThrownBy(() -> LogParameters.of(params(query), "p"))
                .isInstanceOfSatisfying(ApiException.class, refused -> {
                    assertThat(refused.code()).isEqualTo(422);
                    assertThat(refused).hasMessageContaining("PodLogOptions \"p\" is invalid: ");
                    assertThat(refused).hasMessageContaining(message);
                });
    }

    @Test
    void theRestIsPassedOn() {
        assertThat(LogParameters.of(params("tailLines=0"), "p")).containsEntry("tailLines", "0");
    }
}
