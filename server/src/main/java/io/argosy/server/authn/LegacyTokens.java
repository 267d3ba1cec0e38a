package io.argosy.server.authn;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Tokens of service accounts that stand in a Secret and have no end but the Secret's and the account's. */
public final class LegacyTokens implements BearerTokens {
    public static final String TYPE = "kubernetes.io/service-account-token";
    static final String ISSUER = "kubernetes/serviceaccount";

    private static final String NOTE = "authentication.k8s.io/legacy-token";
    private static final String CLAIM = "kubernetes.io/serviceaccount/";

    private final OwnSignatures signatures;
    private final ServiceAccountTokens.Objects objects;
    private final LegacyTokenUses uses;

    public LegacyTokens(OwnSignatures signatures, ServiceAccountTokens.Objects objects, LegacyTokenUses uses) {
        this.signatures = signatures;
        this.objects = objects;
        this.uses = uses;
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

    /** The Secret that holds a token, and the account that the token is for. */
    private record Holder(JsonNode secret, JsonNode account) {
        String name() {
            return secret.at("/metadata/name").asText();
        }

        boolean isMarkedInvalid() {
            return !secret.path("metadata")
                    .path("labels")
                    .path(LegacyTokenUses.INVALID_SINCE)
                    .asText("")
                    .isEmpty();
        }
    }

    private Holder holder(JsonNode claims, String token) throws InvalidTokenException {
        String namespace = claims.path(CLAIM + "namespace").asText();
        String account = claims.path(CLAIM + "service-account.name").asText();
        String uid = claims.path(CLAIM + "service-account.uid").asText();
        if (!claims.path("iss").asText().equals(ISSUER) || namespace.isEmpty() || account.isEmpty()) {
            throw new InvalidTokenException("the token is of another issuer");
        }
        JsonNode secret = objects.find(
                "secrets", namespace, claims.path(CLAIM + "secret.name").asText());
        if (secret == null || secret.path("metadata").hasNonNull("deletionTimestamp")) {
            throw new InvalidTokenException("Token has been invalidated");
        }
        if (!holds(secret, token)) {
            throw new InvalidTokenException("Token does not match server's copy");
        }
        JsonNode found = objects.find("serviceaccounts", namespace, account);
        if (found == null) {
            throw new InvalidTokenException("serviceaccounts \"" + account + "\" not found");
        }
        if (found.path("metadata").hasNonNull("deletionTimestamp")) {
            throw new InvalidTokenException("ServiceAccount " + namespace + "/" + account + " has been deleted");
        }
        if (!found.at("/metadata/uid").asText().equals(uid)) {
            throw new InvalidTokenException("ServiceAccount UID ("
                    + found.at("/metadata/uid").asText() + ") does not match claim (" + uid + ")");
        }
        return new Holder(secret, found);
    }

    @Override
    public Verified verify(String token, Set<String> audiences) throws InvalidTokenException {
        JsonNode claims = signatures.claims(token);
        Holder holder = holder(claims, token);
        String namespace = claims.path(CLAIM + "namespace").asText();
        String account = claims.path(CLAIM + "service-account.name").asText();
        if (holder.isMarkedInvalid()) {
            uses.refused(holder.secret());
            throw new InvalidTokenException("the token in secret " + namespace + "/" + holder.name()
                    + " for service account " + namespace + "/" + account
                    + " has been marked invalid. Use tokens from the TokenRequest API or"
                    + " manually created secret-based tokens, or remove the '" + LegacyTokenUses.INVALID_SINCE
                    + "' label from the secret to temporarily allow use of this token");
        }
        uses.used(holder.secret(), isMadeFor(holder.account(), holder.name()));
        return Verified.here(
                new User(
                        ServiceAccountTokens.USER_PREFIX + namespace + ":" + account,
                        ServiceAccountTokens.groups(namespace),
                        claims.path(CLAIM + "service-account.uid").asText(),
                        Map.of()),
                audiences);
    }

    /** Whoever wants to be rid of such tokens finds in the audit log who still uses them. */
    @Override
    public Map<String, String> notes(String token) {
        JsonNode claims = signatures.remembered(token);
        if (claims == null || !claims.path("iss").asText().equals(ISSUER)) {
            return Map.of();
        }
        Map<String, String> notes = new HashMap<>();
        notes.put(NOTE, claims.path("sub").asText());
        try {
            Holder holder = holder(claims, token);
            if (holder.isMarkedInvalid()) {
                notes.put(
                        NOTE + "-invalidated",
                        holder.name() + "/" + claims.path(CLAIM + "namespace").asText());
            } else {
                boolean made = isMadeFor(holder.account(), holder.name());
                notes.put(NOTE + (made ? "-autogenerated-secret" : "-manual-secret"), holder.name());
            }
        } catch (InvalidTokenException refused) {
            return notes; // of what is not good for anything there is no more to say
        }
        return notes;
    }

    /** Tokens that came with their account, as they once did, are not meant to be used any more. */
    @Override
    public List<String> remarks(String token) {
        JsonNode claims = signatures.remembered(token);
        if (claims == null || !claims.path("iss").asText().equals(ISSUER)) {
            return List.of();
        }
        JsonNode account = objects.find(
                "serviceaccounts",
                claims.path(CLAIM + "namespace").asText(),
                claims.path(CLAIM + "service-account.name").asText());
        return account != null
                        && isMadeFor(account, claims.path(CLAIM + "secret.name").asText())
                ? List.of("Use tokens from the TokenRequest API or manually created secret-based tokens instead of"
                        + " auto-generated secret-based tokens.")
                : List.of();
    }

    private static boolean isMadeFor(JsonNode account, String secret) {
        for (JsonNode own : account.path("secrets")) {
            if (own.path("name").asText().equals(secret)) {
                return true;
            }
        }
        return false;
    }

    private static boolean holds(JsonNode secret, String token) {
        byte[] encoded = secret.at("/data/token").asText("").getBytes(StandardCharsets.US_ASCII);
        byte[] expected = Base64.getEncoder().encode(token.getBytes(StandardCharsets.UTF_8));
        return MessageDigest.isEqual(encoded, expected);
    }
}
