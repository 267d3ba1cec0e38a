package io.argosy.server.authn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.time.VirtualClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tokens from a file, and those by which machines join. */
class OtherTokensTest {
    private static final Set<String> OURS = Set.of(ServiceAccountTokens.ISSUER);
    private static final Map<String, String> GOOD = Map.of(
            "token-id", "abcdef",
            "token-secret", "0123456789abcdef",
            "usage-bootstrap-authentication", "true",
            "expiration", "2026-11-16T12:00:00Z",
            "auth-extra-groups", "system:bootstrappers:workers,system:bootstrappers:eu");

    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-11-15T12:00:00Z"));
    private ObjectNode secret = secret(GOOD);
    private final BootstrapTokens bootstrap = new BootstrapTokens(
            (resource, namespace, name) ->
                    (resource + "/" + namespace + "/" + name).equals("secrets/kube-system/bootstrap-token-abcdef")
                            ? secret
                            : null,
            clock);

    private static ObjectNode secret(Map<String, String> data) {
        ObjectNode secret = Json.object().put("type", "bootstrap.kubernetes.io/token");
        secret.putObject("metadata").put("name", "bootstrap-token-abcdef");
        data.forEach((key, value) -> secret.withObject("/data")
                .put(key, Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8))));
        return secret;
    }

    private User joining() throws InvalidTokenException {
        return bootstrap.verify("abcdef.0123456789abcdef", OURS).user();
    }

    @Test
    void aBootstrapTokenProvesABootstrapper() throws Exception {
        assertThat(joining())
                .isEqualTo(new User(
                        "system:bootstrap:abcdef",
                        List.of(
                                "system:bootstrappers",
                                "system:bootstrappers:workers",
                                "system:bootstrappers:eu",
                                "system:authenticated")));
        clock.advance(Duration.ofDays(1));
        assertThatThrownBy(this::joining).hasMessage("the bootstrap token has expired");
    }

    @ParameterizedTest
    @CsvSource({
        "token-secret, 0123456789abcdeX",
        "token-secret, ''",
        "token-id, abcdeg",
        "usage-bootstrap-authentication, false",
        "usage-bootstrap-authentication, ''",
        "expiration, 2026-11-15T11:59:59Z",
        "expiration, soon",
        "auth-extra-groups, system:masters",
        "auth-extra-groups, system:bootstrappers:UP",
    })
    void aSecretThatIsNotRightProvesNobody(String key, String value) {
        Map<String, String> data = new TreeMap<>(GOOD);
        data.put(key, value);
        secret = secret(data);
        assertThatThrownBy(this::joining).isInstanceOf(InvalidTokenException.class);
    }

    @Test
    void aSecretOfAnotherTypeOrThatIsBeingDeletedProvesNobody() {
        secret.put("type", "Opaque");
        assertThatThrownBy(this::joining).isInstanceOf(InvalidTokenException.class);
        secret = secret(GOOD);
        secret.withObject("/metadata").put("deletionTimestamp", "2026-11-15T11:00:00Z");
        assertThatThrownBy(this::joining).isInstanceOf(InvalidTokenException.class);
        assertThatThrownBy(() -> bootstrap.verify("abcdeg.0123456789abcdef", OURS))
                .isInstanceOf(InvalidTokenException.class);
        assertThat(bootstrap.recognizes("abcdef.0123456789abcdef/../x")).isFalse();
    }

    @Test
    void aTokenOfTheFileProvesItsLine() throws Exception {
        StaticTokens tokens = StaticTokens.parse("""
                # people
                31ada4fd,jane,7,"dev, ops"
                s3cret,robot,
                "with,comma","say \""hi\""",9
                """);
        assertThat(tokens.verify("31ada4fd", OURS).user())
                .isEqualTo(new User("jane", List.of("dev", "ops", "system:authenticated"), "7", Map.of()));
        assertThat(tokens.verify("s3cret", OURS).user().groups()).containsExactly("system:authenticated");
        assertThat(tokens.verify("with,comma", OURS).user().name()).isEqualTo("say \"hi\"");
        assertThat(tokens.recognizes("s3cre")).isFalse();
        assertThatThrownBy(() -> tokens.verify("s3cre", OURS)).isInstanceOf(InvalidTokenException.class);
        assertThatThrownBy(() -> tokens.verify("s3cret", Set.of("vault"))).isInstanceOf(InvalidTokenException.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "only,two | line 1: must have at least 3 columns",
                ",jane,7 | line 1: the token and the user name may not be empty",
                "t,,7 | line 1: the token and the user name may not be empty",
                "t,jane,\"7 | line 1: a quote is not closed",
            })
    void aLineThatCannotBeReadIsNamed(String line, String words) {
        assertThatThrownBy(() -> StaticTokens.parse(line))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(words);
        assertThatThrownBy(() -> StaticTokens.parse("a,b,c\na,d,e")).hasMessage("line 2: the token is there twice");
    }
}
