package io.argosy.server.authn;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.util.Base64;

/**
 * JSON Web Tokens with the one algorithm we sign with. A token that names another, or none, is refused before anything else is looked at,
 * so there is nothing to confuse.
 */
final class Jwt {
    static final String ALGORITHM = "ES256";
    static final int MAX_LENGTH = 16 * 1024;
    private static final String JDK_NAME = "SHA256withECDSAinP1363Format";

    private Jwt() {}

    static String sign(ObjectNode claims, SigningKey key) {
        ObjectNode header = Json.object().put("alg", ALGORITHM).put("kid", key.id());
        String content = SigningKey.base64(Json.encode(header)) + "." + SigningKey.base64(Json.encode(claims));
        try {
            Signature signature = Signature.getInstance(JDK_NAME);
            signature.initSign(key.secret());
            signature.update(content.getBytes(StandardCharsets.US_ASCII));
            return content + "." + SigningKey.base64(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a token could not be signed", e);
        }
    }

    /** The claims of a token that we signed. */
    static JsonNode verify(String token, SigningKey key) throws InvalidTokenException {
        String[] parts = token.length() > MAX_LENGTH ? new String[0] : token.split("\\.", -1);
        if (parts.length != 3) {
            throw new InvalidTokenException("the token is not a JSON web token");
        }
        JsonNode header = decode(parts[0]);
        if (!header.path("alg").asText().equals(ALGORITHM) || header.has("crit")) {
            throw new InvalidTokenException("the token is not signed with " + ALGORITHM);
        }
        try {
            Signature signature = Signature.getInstance(JDK_NAME);
            signature.initVerify(key.open());
            signature.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII));
            if (!signature.verify(bytes(parts[2]))) {
                throw new InvalidTokenException("the token's signature is not ours");
            }
        } catch (GeneralSecurityException malformed) {
            throw new InvalidTokenException("the token's signature is malformed");
        }
        return decode(parts[1]);
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
