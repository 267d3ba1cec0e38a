package io.argosy.server.authn;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Map;
import java.util.Set;

/** Tokens of service accounts that stand in a Secret and have no end but the Secret's and the account's. */
public final class LegacyTokens implements BearerTokens {
    public static final String TYPE = "kubernetes.io/service-account-token";
    static final String ISSUER = "kubernetes/serviceaccount";

    private static final String CLAIM = "kubernetes.io/serviceaccount/";

    private final OwnSignatures signatures;
    private final ServiceAccountTokens.Objects objects;

    public LegacyTokens(OwnSignatures signatures, ServiceAccountTokens.Objects objects) {
        this.signatures = signatures;
        this.objects = objects;
    }

    /** A token for the account, to stand in the Secret of that name. */
    public String issue(String namespace, String account, String uid, String secret) {
        ObjectNode claims = Json.object().put("iss", ISSUER);
        claims.put(CLAIM + "namespace", namespace).put(CLAIM + "secret.name", secret);
        claims.put(CLAIM + "service-account.name", account).put(CLAIM + "service-account.uid", uid);
        claims.put("sub", ServiceAccountTokens.USER_PREFIX + namespace + ":" + account);
        return signatures.sign(claims);
    }

    /** True if the token is one of ours for that account and Secret. */
    public boolean isFor(String token, String namespace, String uid, String secret) {
        try {
            JsonNode claims = signatures.claims(token);
            return claims.path("iss").asText().equals(ISSUER)
                    && claims.path(CLAIM + "namespace").asText().equals(namespace)
                    && claims.path(CLAIM + "service-account.uid").asText().equals(uid)
                    && claims.path(CLAIM + "secret.name").asText().equals(secret);
        } catch (InvalidTokenException notOurs) {
            return false;
        }
    }

    @Override
    public boolean recognizes(String token) {
        return Jwt.issuerOf(token).equals(ISSUER);
    }

    @Override
    public Verified verify(String token, Set<String> audiences) throws InvalidTokenException {
        JsonNode claims = signatures.claims(token);
        String namespace = claims.path(CLAIM + "namespace").asText();
        String account = claims.path(CLAIM + "service-account.name").asText();
        String uid = claims.path(CLAIM + "service-account.uid").asText();
        if (!claims.path("iss").asText().equals(ISSUER) || namespace.isEmpty() || account.isEmpty()) {
            throw new InvalidTokenException("the token is of another issuer");
        }
        JsonNode secret = objects.find(
                "secrets", namespace, claims.path(CLAIM + "secret.name").asText());
        if (secret == null || secret.path("metadata").hasNonNull("deletionTimestamp") || !holds(secret, token)) {
            throw new InvalidTokenException("service account token has been invalidated");
        }
        JsonNode found = objects.find("serviceaccounts", namespace, account);
        if (found == null
                || found.path("metadata").hasNonNull("deletionTimestamp")
                || !found.at("/metadata/uid").asText().equals(uid)) {
            throw new InvalidTokenException("service account token has been invalidated");
        }
        return Verified.here(
                new User(
                        ServiceAccountTokens.USER_PREFIX + namespace + ":" + account,
                        ServiceAccountTokens.groups(namespace),
                        uid,
                        Map.of()),
                audiences);
    }

    private static boolean holds(JsonNode secret, String token) {
        byte[] encoded = secret.at("/data/token").asText("").getBytes(StandardCharsets.US_ASCII);
        byte[] expected = Base64.getEncoder().encode(token.getBytes(StandardCharsets.UTF_8));
        return MessageDigest.isEqual(encoded, expected);
    }
}
