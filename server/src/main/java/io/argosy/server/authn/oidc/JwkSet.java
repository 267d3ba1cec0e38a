package io.argosy.server.authn.oidc;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.server.authn.Jwt;
import java.math.BigInteger;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** The open keys that an issuer publishes. Those of a kind that is not known here are left out. */
record JwkSet(List<Key> keys) {
    static final JwkSet EMPTY = new JwkSet(List.of());

    private static final Map<String, String> CURVES =
            Map.of("P-256", "secp256r1", "P-384", "secp384r1", "P-521", "secp521r1");
    private static final int LEAST_RSA_BITS = 2048;

    record Key(String id, PublicKey open) {}

    static JwkSet parse(JsonNode document) {
        List<Key> keys = new ArrayList<>();
        for (JsonNode jwk : document.path("keys")) {
            if (!jwk.path("use").asText("sig").equals("sig")) {
                continue;
            }
            try {
                PublicKey key = switch (jwk.path("kty").asText()) {
                    case "RSA" -> rsa(jwk);
                    case "EC" -> curve(jwk);
                    default -> null;
                };
                if (key != null) {
                    keys.add(new Key(jwk.path("kid").asText(""), key));
                }
            } catch (GeneralSecurityException | IllegalArgumentException notAKey) {
                continue; // the others may be good
            }
        }
        return new JwkSet(List.copyOf(keys));
    }

    private static PublicKey rsa(JsonNode jwk) throws GeneralSecurityException {
        BigInteger modulus = number(jwk, "n");
        if (modulus.bitLength() < LEAST_RSA_BITS) {
            return null;
        }
        return KeyFactory.getInstance("RSA").generatePublic(new RSAPublicKeySpec(modulus, number(jwk, "e")));
    }

    private static PublicKey curve(JsonNode jwk) throws GeneralSecurityException {
        String curve = CURVES.get(jwk.path("crv").asText());
        if (curve == null) {
            return null;
        }
        AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
        parameters.init(new ECGenParameterSpec(curve));
        ECPoint point = new ECPoint(number(jwk, "x"), number(jwk, "y"));
        return KeyFactory.getInstance("EC")
                .generatePublic(new ECPublicKeySpec(point, parameters.getParameterSpec(ECParameterSpec.class)));
    }

    private static BigInteger number(JsonNode jwk, String field) {
        return new BigInteger(1, Base64.getUrlDecoder().decode(jwk.path(field).asText()));
    }

    /** Whether one of the keys that the token may mean has signed it. */
    boolean signed(Jwt token) {
        return keys.stream()
                .anyMatch(key ->
                        (token.keyId().isEmpty() || token.keyId().equals(key.id())) && token.isSignedBy(key.open()));
    }
}
