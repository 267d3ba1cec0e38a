package io.argosy.server.authn;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import java.math.BigInteger;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.interfaces.ECPublicKey;
import java.util.Base64;

/** The open half of a pair of P-256 keys: tokens that the other half signed are verified with it. */
public record VerifyingKey(ECPublicKey open) {
    private static final int COORDINATE_BYTES = 32;

    /** Names the key in tokens and in the published key set. */
    public String id() {
        try {
            return base64(MessageDigest.getInstance("SHA-256").digest(open.getEncoded()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** As a JSON Web Key. */
    ObjectNode jwk() {
        return Json.object()
                .put("use", "sig")
                .put("kty", "EC")
                .put("kid", id())
                .put("crv", "P-256")
                .put("alg", JwsAlgorithm.ES256.name())
                .put("x", coordinate(open.getW().getAffineX()))
                .put("y", coordinate(open.getW().getAffineY()));
    }

    private static String coordinate(BigInteger value) {
        byte[] bytes = value.toByteArray();
        byte[] padded = new byte[COORDINATE_BYTES];
        int used = Math.min(bytes.length, COORDINATE_BYTES);
        System.arraycopy(bytes, bytes.length - used, padded, COORDINATE_BYTES - used, used);
        return base64(padded);
    }

    static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    @Override
    public String toString() {
        return "VerifyingKey[" + id() + "]";
    }
}
