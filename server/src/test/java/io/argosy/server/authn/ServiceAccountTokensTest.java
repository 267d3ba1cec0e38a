package io.argosy.server.authn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.time.VirtualClock;
import io.argosy.server.TestCertificates;
import io.argosy.server.authn.ServiceAccountTokens.Bound;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ServiceAccountTokensTest {
    private static final Set<String> OURS = Set.of(ServiceAccountTokens.ISSUER);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Bound POD = new Bound("pod", "web", "pod-1");

    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-11-15T12:00:00Z"));
    private final Map<String, ObjectNode> objects = new HashMap<>();
    private SigningKey key;
    private KeyRing ring;
    private ServiceAccountTokens tokens;

    @BeforeEach
    void prepare() throws Exception {
        key = TestCertificates.tokenKey();
        ring = KeyRing.of(key);
        tokens = new ServiceAccountTokens(
                new OwnSignatures(() -> ring),
                (resource, namespace, name) -> objects.get(resource + "/" + namespace + "/" + name),
                clock);
        put("serviceaccounts", "robot", "sa-1");
        put("pods", "web", "pod-1");
    }

    private ObjectNode put(String resource, String name, String uid) {
        ObjectNode object = Json.object();
        object.putObject("metadata").put("namespace", "shop").put("name", name).put("uid", uid);
        objects.put(resource + "/shop/" + name, object);
        return object;
    }

    private String issue(List<String> audiences) {
        return tokens.issue(objects.get("serviceaccounts/shop/robot"), audiences, HOUR, List.of(POD))
                .token();
    }

    private String issue() {
        return issue(List.of(ServiceAccountTokens.ISSUER));
    }

    private User verified(String token) throws InvalidTokenException {
        return tokens.verify(token, OURS).user();
    }

    private void isRefused(String token) {
        assertThatThrownBy(() -> tokens.verify(token, OURS)).isInstanceOf(InvalidTokenException.class);
    }

    @Test
    void aTokenProvesItsAccountGroupsAndPod() throws Exception {
        User user = verified(issue());

        assertThat(user.name()).isEqualTo("system:serviceaccount:shop:robot");
        assertThat(user.groups())
                .containsExactly("system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated");
        assertThat(user.uid()).isEqualTo("sa-1");
        assertThat(user.extra())
                .containsEntry("authentication.kubernetes.io/pod-name", List.of("web"))
                .containsEntry("authentication.kubernetes.io/pod-uid", List.of("pod-1"));
    }

    @Test
    void theClaimsAreThoseOfKubernetes() throws Exception {
        JsonNode claims = Jwt.parse(issue()).claims();

        assertThat(claims.path("iss").asText()).isEqualTo("https://kubernetes.default.svc.cluster.local");
        assertThat(claims.path("sub").asText()).isEqualTo("system:serviceaccount:shop:robot");
        assertThat(claims.path("exp").asLong() - claims.path("iat").asLong()).isEqualTo(3600);
        assertThat(claims.path("nbf").asLong()).isEqualTo(clock.now().getEpochSecond());
        assertThat(claims.at("/kubernetes.io/namespace").asText()).isEqualTo("shop");
        assertThat(claims.at("/kubernetes.io/serviceaccount/uid").asText()).isEqualTo("sa-1");
        assertThat(claims.at("/kubernetes.io/pod/name").asText()).isEqualTo("web");
    }

    @Test
    void aTokenIsWorthNothingOnceItHasExpired() throws Exception {
        String token = issue();
        clock.advance(HOUR.minusSeconds(1));
        verified(token);
        clock.advance(Duration.ofSeconds(1));
        isRefused(token);
    }

    @Test
    void aTokenIsWorthNothingBeforeItsTime() {
        long now = clock.now().getEpochSecond();
        isRefused(Jwt.sign(claims(now + 60, now + 3600), key));
    }

    @Test
    void aTokenWithoutAnEndIsRefused() {
        ObjectNode claims = claims(0, 0);
        claims.remove("exp");
        isRefused(Jwt.sign(claims, key));
    }

    private ObjectNode claims(long notBefore, long expires) {
        ObjectNode claims =
                Json.object().put("iss", ServiceAccountTokens.ISSUER).put("exp", expires);
        claims.put("nbf", notBefore).putArray("aud").add(ServiceAccountTokens.ISSUER);
        ObjectNode ours = claims.putObject("kubernetes.io").put("namespace", "shop");
        ours.putObject("serviceaccount").put("name", "robot").put("uid", "sa-1");
        return claims;
    }

    @Test
    void aTokenForAnotherAudienceIsRefusedHereAndGoodThere() throws Exception {
        String token = issue(List.of("vault"));
        isRefused(token);
        assertThat(tokens.verify(token, Set.of("vault", "other")).audiences()).containsExactly("vault");
    }

    @Test
    void anUnsignedTokenIsRefused() {
        String[] parts = issue().split("\\.");
        for (String algorithm : List.of("none", "None", "HS256", "RS256", "")) {
            byte[] header = ("{\"alg\":\"" + algorithm + "\"}").getBytes(StandardCharsets.UTF_8);
            isRefused(VerifyingKey.base64(header) + "." + parts[1] + ".");
            isRefused(VerifyingKey.base64(header) + "." + parts[1] + "." + parts[2]);
        }
        isRefused(parts[0] + "." + parts[1] + ".");
    }

    @Test
    void aTamperedTokenIsRefused() {
        String[] parts = issue().split("\\.");
        long now = clock.now().getEpochSecond();
        isRefused(parts[0] + "." + VerifyingKey.base64(Json.encode(claims(0, now + 999999))) + "." + parts[2]);
        isRefused(parts[0] + "." + parts[1] + "." + VerifyingKey.base64(new byte[64]));
        isRefused(parts[0] + "." + parts[1] + "." + parts[2] + ".x");
        isRefused("...");
        isRefused("%%%.%%%.%%%");
        isRefused("a".repeat(100_000));
    }

    @Test
    void aTokenOfAnotherKeyIsRefused() throws Exception {
        String token = issue();
        ring = KeyRing.of(TestCertificates.tokenKey());
        isRefused(token);
    }

    @Test
    void aNewKeyLogsNobodyOutUntilTheOldOneIsTakenAway() throws Exception {
        String old = issue();
        verified(old);
        ring = new KeyRing(TestCertificates.tokenKey(), List.of(key.verifying()));

        verified(old);
        String fresh = issue();
        assertThat(Jwt.parse(fresh).keyId())
                .isEqualTo(ring.signing().verifying().id());
        verified(fresh);
        assertThat(tokens.keys().path("keys").findValuesAsText("kid"))
                .containsExactly(
                        ring.signing().verifying().id(), key.verifying().id());

        ring = KeyRing.of(ring.signing());
        isRefused(old);
        verified(fresh);
    }

    @Test
    void aTokenEndsWithItsAccount() throws Exception {
        String token = issue();
        verified(token);
        put("serviceaccounts", "robot", "sa-2");
        isRefused(token);
        objects.remove("serviceaccounts/shop/robot");
        isRefused(token);
    }

    @Test
    void aTokenEndsWithItsPod() throws Exception {
        String token = issue();
        ObjectNode pod = objects.get("pods/shop/web");
        ((ObjectNode) pod.get("metadata")).put("deletionTimestamp", "2026-11-15T12:00:00Z");
        verified(token);
        clock.advance(Duration.ofSeconds(61));
        isRefused(token);
        put("pods", "web", "pod-2");
        isRefused(token);
        objects.remove("pods/shop/web");
        isRefused(token);
    }

    @Test
    void aWrongTokenIsUnauthorizedAndNoTokenIsAnonymous() {
        TokenAuthenticator authenticator = new TokenAuthenticator((channel, headers) -> User.ANONYMOUS, tokens);
        assertThat(authenticator.authenticate(null, new DefaultHttpHeaders())).isSameAs(User.ANONYMOUS);
        assertThat(authenticator.authenticate(null, bearer(issue())).name())
                .isEqualTo("system:serviceaccount:shop:robot");
        assertThatThrownBy(() -> authenticator.authenticate(null, bearer("nonsense")))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(401));
    }

    private static HttpHeaders bearer(String token) {
        return new DefaultHttpHeaders().set("Authorization", "Bearer " + token);
    }

    @Test
    void thePublishedKeyIsTheOneThatVerifies() {
        JsonNode published = tokens.keys().path("keys").path(0);
        assertThat(published.path("kty").asText()).isEqualTo("EC");
        assertThat(published.path("kid").asText()).isEqualTo(key.verifying().id());
        assertThat(published.path("x").asText()).hasSize(43);
        assertThat(published.path("y").asText()).hasSize(43);
    }
}
