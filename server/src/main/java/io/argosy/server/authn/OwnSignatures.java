package io.argosy.server.authn;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Signs tokens, and knows which ones we signed. A signature is verified once, and again when the keys are others. */
public final class OwnSignatures {
    private static final int REMEMBERED = 4096;

    private final Supplier<KeyRing> keys;
    private volatile Known known = new Known(null, Map.of());

    /** What was verified with these keys. */
    private record Known(KeyRing keys, Map<String, JsonNode> tokens) {}

    public OwnSignatures(Supplier<KeyRing> keys) {
        this.keys = keys;
    }

    String sign(ObjectNode claims) {
        return Jwt.sign(claims, keys.get().signing());
    }

    boolean remembers(String token) {
        return known.tokens.containsKey(token);
    }

    /** The claims of a token that was verified not long ago, or null. */
    JsonNode remembered(String token) {
        return known.tokens.get(token);
    }

    /** The claims of a token that we signed. */
    JsonNode claims(String token) throws InvalidTokenException {
        Known current = known();
        JsonNode claims = current.tokens.get(token);
        if (claims == null) {
            claims = verified(token, current.keys);
            if (current.tokens.size() >= REMEMBERED) {
                current.tokens.clear();
            }
            current.tokens.put(token, claims);
        }
        return claims;
    }

    @SuppressWarnings("ReferenceEquality") // who changes the keys makes another ring
    private Known known() {
        KeyRing now = keys.get();
        Known current = known;
        if (current.keys != now) {
            current = new Known(now, new ConcurrentHashMap<>());
            known = current;
        }
        return current;
    }

    private static JsonNode verified(String token, KeyRing keys) throws InvalidTokenException {
        Jwt jwt = Jwt.parse(token);
        if (jwt.algorithm() != JwsAlgorithm.ES256) {
            throw new InvalidTokenException("the token is not signed with " + JwsAlgorithm.ES256);
        }
        for (VerifyingKey key : keys.verifying()) {
            if ((jwt.keyId().isEmpty() || jwt.keyId().equals(key.id())) && jwt.isSignedBy(key.open())) {
                return jwt.claims();
            }
        }
        throw new InvalidTokenException("the token's signature is not ours");
    }

    /** Our open keys, for others to verify our tokens with. */
    public ObjectNode published() {
        ObjectNode document = Json.object();
        ArrayNode list = document.putArray("keys");
        keys.get().verifying().forEach(key -> list.add(key.jwk()));
        return document;
    }
}
