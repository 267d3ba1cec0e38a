package io.argosy.server.authn.oidc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.time.VirtualClock;
import io.argosy.server.TestClient;
import io.argosy.server.TestServer;
import io.argosy.server.authn.InvalidTokenException;
import io.argosy.server.authn.ServiceAccountTokens;
import io.argosy.server.authn.User;
import java.net.http.HttpClient.Version;
import java.security.KeyPair;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tokens of an issuer that really stands at the other end of an HTTPS connection. */
class IssuerTokensTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final Set<String> OURS = Set.of(ServiceAccountTokens.ISSUER);
    private static final String MAPPINGS = """
            claimMappings:
              username: {claim: sub, prefix: "acme:"}
              groups: {claim: teams, prefix: "acme:"}
              uid: {claim: uid}
            """;

    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-11-15T12:00:00Z"));
    private TestIssuer issuer;

    @BeforeEach
    void start() throws Exception {
        issuer = new TestIssuer(SERVER.serverIdentity("127.0.0.1"));
        issuer.addRsaKey("one");
    }

    @AfterEach
    void stop() {
        issuer.close();
    }

    private String config(String rules) throws Exception {
        return """
                apiVersion: apiserver.config.k8s.io/v1
                kind: AuthenticationConfiguration
                jwt:
                - issuer:
                    url: %s
                    audiences: [cluster, other]
                    audienceMatchPolicy: MatchAny
                    certificateAuthority: |
                %s
                %s""".formatted(issuer.url(), SERVER.authority().indent(6), rules.indent(2));
    }

    private IssuerTokens tokens(String rules) throws Exception {
        return new IssuerTokens(
                AuthenticationConfig.parse(config(rules)).issuers().getFirst(), clock);
    }

    private ObjectNode claims() {
        long now = clock.now().getEpochSecond();
        ObjectNode claims =
                Json.object().put("iss", issuer.url()).put("sub", "jane").put("uid", "7");
        claims.putArray("aud").add("cluster");
        claims.putArray("teams").add("dev").add("ops");
        return claims.put("exp", now + 600).put("nbf", now);
    }

    private User verified(IssuerTokens tokens, String token) throws InvalidTokenException {
        assertThat(tokens.recognizes(token)).isTrue();
        return tokens.verify(token, OURS).user();
    }

    @Test
    void aTokenProvesWhomItsClaimsName() throws Exception {
        User user = verified(tokens(MAPPINGS), issuer.token("one", "RS256", claims()));
        assertThat(user)
                .isEqualTo(new User("acme:jane", List.of("acme:dev", "acme:ops", User.AUTHENTICATED), "7", Map.of()));
    }

    @Test
    void keysThatComeAreFoundAndKeysThatGoEnd() throws Exception {
        IssuerTokens tokens = tokens(MAPPINGS);
        String old =
                issuer.token("one", "RS256", claims().put("exp", clock.now().getEpochSecond() + 7200));
        verified(tokens, old);
        clock.advance(Duration.ofSeconds(11));
        issuer.addCurveKey("two");
        verified(tokens, issuer.token("two", "ES256", claims()));
        verified(tokens, old);
        assertThat(issuer.asked).hasValue(2);

        issuer.removeKey("one");
        verified(tokens, old); // until they are looked at again
        clock.advance(Duration.ofMinutes(61));
        assertThatThrownBy(() -> verified(tokens, old)).isInstanceOf(InvalidTokenException.class);
    }

    @Test
    void tokensThatSomebodyMadeUpDoNotWearTheIssuerOut() throws Exception {
        IssuerTokens tokens = tokens(MAPPINGS);
        verified(tokens, issuer.token("one", "RS256", claims()));
        KeyPair pair = issuer.key("one");
        for (int i = 0; i < 50; i++) {
            String made = TestIssuer.token(pair, "made-up-" + i, "RS256", claims());
            assertThatThrownBy(() -> verified(tokens, made)).isInstanceOf(InvalidTokenException.class);
        }
        assertThat(issuer.asked.get()).isEqualTo(1);
    }

    @Test
    void anIssuerThatCannotBeReachedKeepsItsKeysAndLetsNobodyNewIn() throws Exception {
        IssuerTokens tokens = tokens(MAPPINGS);
        String token =
                issuer.token("one", "RS256", claims().put("exp", clock.now().getEpochSecond() + 9999));
        issuer.status = 500;
        assertThatThrownBy(() -> verified(tokens, token)).isInstanceOf(InvalidTokenException.class);
        clock.advance(Duration.ofSeconds(11));
        issuer.status = 200;
        verified(tokens, token);
        clock.advance(Duration.ofMinutes(61));
        issuer.status = 500;
        verified(tokens, token);
    }

    @Test
    void whoAnswersInAnothersNameIsNotBelieved() throws Exception {
        issuer.claimedIssuer = "https://evil.example.com";
        IssuerTokens tokens = tokens(MAPPINGS);
        String token = issuer.token("one", "RS256", claims());
        assertThatThrownBy(() -> verified(tokens, token)).isInstanceOf(InvalidTokenException.class);
    }

    @Test
    void anIssuerWithAnotherCertificateIsNotBelieved() throws Exception {
        String text = config(MAPPINGS).replaceAll("(?s)    certificateAuthority.*-----END CERTIFICATE-----\n", "");
        IssuerTokens tokens =
                new IssuerTokens(AuthenticationConfig.parse(text).issuers().getFirst(), clock);
        String token = issuer.token("one", "RS256", claims());
        assertThatThrownBy(() -> verified(tokens, token)).isInstanceOf(InvalidTokenException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "exp, -1, the token has expired",
        "exp, '', the token has expired",
        "nbf, 400, the token is not valid yet",
        "aud, somebody-else, the token is not for this audience",
        "aud, '', the token is not for this audience",
        "sub, '', the token's username is no text",
    })
    void aTokenThatIsNotRightIsRefused(String claim, String value, String words) throws Exception {
        ObjectNode claims = claims();
        if (value.isEmpty()) {
            claims.remove(claim);
        } else if (claim.equals("aud")) {
            claims.put(claim, value);
        } else {
            claims.put(claim, clock.now().getEpochSecond() + Long.parseLong(value));
        }
        IssuerTokens tokens = tokens(MAPPINGS);
        String token = issuer.token("one", "RS256", claims);
        assertThatThrownBy(() -> verified(tokens, token)).hasMessage(words);
    }

    @Test
    void aTokenOfAnotherKeyOrAlgorithmIsRefused() throws Exception {
        IssuerTokens tokens = tokens(MAPPINGS);
        String good = issuer.token("one", "RS256", claims());
        KeyPair right = issuer.key("one");
        issuer.addRsaKey("other");
        KeyPair wrong = issuer.key("other");
        issuer.removeKey("other");
        verified(tokens, good);
        String forged = TestIssuer.token(wrong, "one", "RS256", claims());
        assertThatThrownBy(() -> verified(tokens, forged)).isInstanceOf(InvalidTokenException.class);
        String confused = TestIssuer.token(right, "one", "RS256", claims()).replaceFirst("^[^.]+", header("HS256"));
        assertThatThrownBy(() -> tokens.verify(confused, OURS)).isInstanceOf(InvalidTokenException.class);
        String unsigned = header("none") + good.substring(good.indexOf('.'), good.lastIndexOf('.') + 1);
        assertThatThrownBy(() -> tokens.verify(unsigned, OURS)).isInstanceOf(InvalidTokenException.class);
        assertThat(tokens.recognizes(unsigned)).isFalse();
    }

    private static String header(String algorithm) {
        return java.util.Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(Json.encode(Json.object().put("alg", algorithm).put("kid", "one")));
    }

    @Test
    void expressionsCheckClaimsAndMakeUsers() throws Exception {
        IssuerTokens tokens = tokens("""
                claimValidationRules:
                - claim: tenant
                  requiredValue: acme
                - expression: claims.exp - claims.nbf <= 3600
                  message: too long a life
                claimMappings:
                  username: {expression: "'acme:' + claims.sub"}
                  groups: {expression: "claims.teams.filter(t, t != 'ops')"}
                  uid: {expression: "string(claims.uid)"}
                  extra:
                  - {key: acme.io/tenant, valueExpression: claims.tenant}
                userValidationRules:
                - expression: "!user.username.startsWith('system:')"
                  message: username cannot use the system prefix
                - expression: "user.groups.all(g, g != 'forbidden')"
                """);
        ObjectNode claims = claims().put("tenant", "acme");
        assertThat(verified(tokens, issuer.token("one", "RS256", claims)))
                .isEqualTo(new User(
                        "acme:jane",
                        List.of("dev", User.AUTHENTICATED),
                        "7",
                        Map.of("acme.io/tenant", List.of("acme"))));
        ObjectNode foreign = claims.deepCopy().put("tenant", "evil");
        assertThatThrownBy(() -> verified(tokens, issuer.token("one", "RS256", foreign)))
                .hasMessage("required claim tenant is not as it must be");
        ObjectNode longLived = claims.deepCopy().put("exp", clock.now().getEpochSecond() + 9999);
        assertThatThrownBy(() -> verified(tokens, issuer.token("one", "RS256", longLived)))
                .hasMessage("too long a life");
        ObjectNode grouped = claims.deepCopy();
        grouped.putArray("teams").add("forbidden");
        assertThatThrownBy(() -> verified(tokens, issuer.token("one", "RS256", grouped)))
                .hasMessageContaining("failed");
        ObjectNode without = claims.deepCopy();
        without.remove("teams");
        assertThatThrownBy(() -> verified(tokens, issuer.token("one", "RS256", without)))
                .isInstanceOf(InvalidTokenException.class);
    }

    @Test
    void anAddressThatWasNotVerifiedIsNoName() throws Exception {
        IssuerTokens tokens = tokens("claimMappings: {username: {claim: email, prefix: ''}}");
        ObjectNode claims = claims().put("email", "jane@acme.io");
        assertThat(verified(tokens, issuer.token("one", "RS256", claims)).name())
                .isEqualTo("jane@acme.io");
        claims.put("email_verified", false);
        assertThatThrownBy(() -> verified(tokens, issuer.token("one", "RS256", claims)))
                .hasMessage("email not verified");
    }

    @Test
    void theServerBelievesTheIssuersOfItsConfiguration() throws Exception {
        SERVER.believing(List.of(new IssuerTokens(
                AuthenticationConfig.parse(config(MAPPINGS)).issuers().getFirst(), io.argosy.api.time.Clock.system())));
        SERVER.restart();
        try {
            TestClient nobody = SERVER.client("", Version.HTTP_2);
            long now = io.argosy.api.time.Clock.system().now().getEpochSecond();
            String token = issuer.token("one", "RS256", claims().put("nbf", now).put("exp", now + 600));
            String reviews = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
            TestClient.Reply self = nobody.post(reviews, "{}", "Authorization", "Bearer " + token);
            assertThat(self.is(201).at("/status/userInfo/username").asText()).isEqualTo("acme:jane");
            nobody.get("/api/v1/nodes", "Authorization", "Bearer " + token).is(403);
            String expired = issuer.token("one", "RS256", claims().put("exp", now - 1));
            nobody.post(reviews, "{}", "Authorization", "Bearer " + expired).is(401);
        } finally {
            SERVER.believing(List.of());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "apiVersion: apiserver.config.k8s.io/v1 | apiVersion: v1 | kind: must be AuthenticationConfiguration",
                "  - issuer: | - isuer: | jwt[0].isuer: unknown field",
                "url: https | url: http | jwt[0].issuer.url: Invalid value: must be an https URL",
                "audiences: [cluster, other] | audiences: [] | at least one jwt[0].issuer.audiences is required",
                "audienceMatchPolicy: MatchAny | audienceMatchPolicy: '' | jwt[0].issuer.audienceMatchPolicy: must be MatchAny",
                "username: {claim: sub, prefix: \"acme:\"} | username: {claim: sub} | jwt[0].claimMappings.username.prefix: Required value",
                "username: {claim: sub, prefix: \"acme:\"} | username: {claim: sub, expression: claims.sub} | either claim or expression is required",
                "username: {claim: sub, prefix: \"acme:\"} | username: {expression: 'claims.'} | jwt[0].claimMappings.username.expression: compilation failed",
                "username: {claim: sub, prefix: \"acme:\"} | username: {expression: claims.email} | claims.email_verified must be used",
                "username: {claim: sub, prefix: \"acme:\"} | usrname: {} | jwt[0].claimMappings.usrname: unknown field",
                "kind: AuthenticationConfiguration | 'kind: AuthenticationConfiguration\nanonymous: {enabled: false}' | anonymous: unknown field",
            })
    void aFileThatIsNotRightSaysWhere(String right, String wrong, String words) throws Exception {
        String text = config(MAPPINGS);
        String changed = text.replace(right.strip(), wrong.strip());
        assertThat(changed).isNotEqualTo(text);
        assertThatThrownBy(() -> AuthenticationConfig.parse(changed))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(words);
    }
}
