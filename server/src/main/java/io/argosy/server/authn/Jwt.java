package io.argosy.server.authn;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.Signature;
import java.util.Base64;

/**
 * A JSON Web Token. What it says counts for nothing before its signature is verified, but that it may be used to find the key to verify it
 * with.
 */
public final class Jwt {
    static final int MAX_LENGTH = 16 * 1024;

    private final JwsAlgorithm algorithm;
    private final String keyId;
    private final JsonNode claims;
    private final byte[] content;
    private final byte[] signature;

    private Jwt(JwsAlgorithm algorithm, String keyId, JsonNode claims, byte[] content, byte[] signature) {
        this.algorithm = algorithm;
        this.keyId = keyId;
        this.claims = claims;
        this.content = content;
        this.signature = signature;
    }

    static String sign(ObjectNode claims, SigningKey key) {
        ObjectNode header = Json.object()
                .put("alg", JwsAlgorithm.ES256.name())
                .put("kid", key.verifying().id());
        String content = VerifyingKey.base64(Json.encode(header)) + "." + VerifyingKey.base64(Json.encode(claims));
        try {
            Signature signature = JwsAlgorithm.ES256.signature();
            signature.initSign(key.secret());
            signature.update(content.getBytes(StandardCharsets.US_ASCII));
            return content + "." + VerifyingKey.base64(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a token could not be signed", e);
        }
    }

    /** Takes a token apart. One that is signed in no way that counts, or with conditions that we do not know, is none. */
    public static Jwt parse(String token) throws InvalidTokenException {
        String[] parts = token.length() > MAX_LENGTH ? new String[0] : token.split("\\.", -1);
        if (parts.length != 3) {
            throw new InvalidTokenException("the token is not a JSON web token");
        }
        JsonNode header = decode(parts[0]);
        JwsAlgorithm algorithm = JwsAlgorithm.named(header.path("alg").asText());
        if (algorithm == null || header.has("crit")) {
            throw new InvalidTokenException("the token is not signed in a way that counts");
        }
        return new Jwt(
                algorithm,
                header.path("kid").asText(""),
                decode(parts[1]),
                (parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII),
                bytes(parts[2]));
    }

    /** Who the token says has signed it; empty if it is no token. */
    public static String issuerOf(String token) {
        try {
            return parse(token).claims.path("iss").asText("");
        } catch (InvalidTokenException notOne) {
            return "";
        }
    }

    JwsAlgorithm algorithm() {
        return algorithm;
    }

    /** What the token calls its key; empty if it does not say. */
    public String keyId() {
        return keyId;
    }

    /** Unproven until {@link #isSignedBy} says yes. */
    public JsonNode claims() {
        return claims;
    }

    public boolean isSignedBy(PublicKey key) {
        if (!algorithm.fits(key)) {
            return false;
        }
        try {
            Signature verifier = algorithm.signature();
            verifier.initVerify(key);
            verifier.update(content);
            return verifier.verify(signature);
        } catch (GeneralSecurityException malformed) {
            return false;
        }
    }

    private static JsonNode decode(String part) throws InvalidTokenException {
        try {
            JsonNode decoded = Json.decode(bytes(part));
            if (decoded != null && decoded.isObject()) {
                return decoded;
            }
        } catch (IOException malformed) {
            throw new InvalidTokenException("the token does not hold JSON");
        }
        throw new InvalidTokenException("the token does not hold an object");
    }

    private static byte[] bytes(String part) throws InvalidTokenException {
        try {
            return Base64.getUrlDecoder().decode(part);
        } catch (IllegalArgumentException malformed) {
            throw new InvalidTokenException("the token is not base64url");
        }
    }
}
