package io.argosy.server.authn;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Tokens that prove a service account, for a while, for an audience, and for as long as the account and the object they are bound to exist.
 *
 * <p>What can change after a token was signed (the hour, the account, the bound object) is looked at whenever it is used.
 */
public final class ServiceAccountTokens implements BearerTokens {
    public static final String ISSUER = "https://kubernetes.default.svc.cluster.local";
    public static final String USER_PREFIX = "system:serviceaccount:";

    private static final String PRIVATE_CLAIMS = "kubernetes.io";
    private static final String EXTRA_PREFIX = "authentication.kubernetes.io/";

    /** How long a token outlives the deletion of its pod, while that one ends in good order. */
    private static final String CREDENTIAL = "JTI=";

    private static final Duration LEEWAY = Duration.ofSeconds(60);

    private final OwnSignatures signatures;
    private final Objects objects;
    private final Clock clock;

    /** The cluster's objects, as far as tokens depend on them. */
    @FunctionalInterface
    public interface Objects {
        /** The object, or null. */
        JsonNode find(String resource, String namespace, String name);
    }

    /** An object that a token lives and dies with: its kind in lower case, as the claims name it. */
    public record Bound(String kind, String name, String uid) {}

    /** A token, by what it can be told apart from others, and the end of its life. */
    public record Issued(String token, String credentialId, Instant expiresAt) {
        @Override
        public String toString() {
            return "Issued[****, " + credentialId + ", " + expiresAt + "]";
        }
    }

    public ServiceAccountTokens(OwnSignatures signatures, Objects objects, Clock clock) {
        this.signatures = signatures;
        this.objects = objects;
        this.clock = clock;
    }

    /**
     * Signs a token.
     *
     * @param account the ServiceAccount object
     * @param bound a pod comes with the node it runs on, where it has one
     */
    public Issued issue(JsonNode account, List<String> audiences, Duration life, List<Bound> bound) {
        JsonNode metadata = account.path("metadata");
        String namespace = metadata.path("namespace").asText();
        String name = metadata.path("name").asText();
        long now = clock.now().getEpochSecond();
        long end = now + life.toSeconds();
        ObjectNode claims = Json.object();
        audiences.forEach(claims.putArray("aud")::add);
        claims.put("exp", end).put("iat", now).put("iss", ISSUER);
        String id = UUID.randomUUID().toString();
        claims.put("jti", id);
        ObjectNode ours = claims.putObject(PRIVATE_CLAIMS).put("namespace", namespace);
        for (Bound object : bound) {
            ours.putObject(object.kind()).put("name", object.name()).put("uid", object.uid());
        }
        ours.putObject("serviceaccount")
                .put("name", name)
                .put("uid", metadata.path("uid").asText());
        claims.put("nbf", now).put("sub", USER_PREFIX + namespace + ":" + name);
        return new Issued(signatures.sign(claims), CREDENTIAL + id, Instant.ofEpochSecond(end));
    }

    @Override
    public boolean recognizes(String token) {
        return signatures.remembers(token) || Jwt.issuerOf(token).equals(ISSUER);
    }

    @Override
    public Verified verify(String token, Set<String> audiences) throws InvalidTokenException {
        JsonNode claims = signatures.claims(token);
        checkTimes(claims);
        if (!claims.path("iss").asText().equals(ISSUER)) {
            throw new InvalidTokenException("the token is of another issuer");
        }
        List<String> common = new ArrayList<>();
        claims.path("aud").forEach(audience -> {
            if (audiences.contains(audience.asText())) {
                common.add(audience.asText());
            }
        });
        if (common.isEmpty()) {
            throw new InvalidTokenException("the token is not for this audience");
        }
        JsonNode ours = claims.path(PRIVATE_CLAIMS);
        checkObjects(ours);
        return new Verified(user(claims, ours), common);
    }

    private void checkTimes(JsonNode claims) throws InvalidTokenException {
        long now = clock.now().getEpochSecond();
        if (!claims.path("exp").isIntegralNumber() || now >= claims.path("exp").asLong()) {
            throw new InvalidTokenException("service account token has expired");
        }
        if (now < claims.path("nbf").asLong()) {
            throw new InvalidTokenException("service account token is not valid yet");
        }
    }

    private void checkObjects(JsonNode ours) throws InvalidTokenException {
        String namespace = ours.path("namespace").asText();
        checkObject("serviceaccounts", namespace, ours.path("serviceaccount"));
        if (ours.has("pod")) {
            checkObject("pods", namespace, ours.path("pod"));
        } else if (ours.has("secret")) {
            checkObject("secrets", namespace, ours.path("secret"));
        } else if (ours.has("node")) {
            checkObject("nodes", "", ours.path("node"));
        }
    }

    private void checkObject(String resource, String namespace, JsonNode claimed) throws InvalidTokenException {
        JsonNode found = objects.find(resource, namespace, claimed.path("name").asText());
        if (found == null) {
            throw new InvalidTokenException("service account token has been invalidated");
        }
        JsonNode metadata = found.path("metadata");
        if (!metadata.path("uid").asText().equals(claimed.path("uid").asText()) || isOver(metadata)) {
            throw new InvalidTokenException("service account token has been invalidated");
        }
    }

    private boolean isOver(JsonNode metadata) {
        String deletion = metadata.path("deletionTimestamp").asText("");
        if (deletion.isEmpty()) {
            return false;
        }
        try {
            return clock.now().isAfter(Instant.parse(deletion).plus(LEEWAY));
        } catch (DateTimeParseException unreadable) {
            return true;
        }
    }

    private static User user(JsonNode claims, JsonNode ours) {
        String namespace = ours.path("namespace").asText();
        JsonNode account = ours.path("serviceaccount");
        Map<String, List<String>> extra = new LinkedHashMap<>();
        extra.put(
                EXTRA_PREFIX + "credential-id",
                List.of(CREDENTIAL + claims.path("jti").asText()));
        for (String kind : List.of("pod", "node")) {
            if (ours.has(kind)) {
                extra.put(
                        EXTRA_PREFIX + kind + "-name",
                        List.of(ours.path(kind).path("name").asText()));
                extra.put(
                        EXTRA_PREFIX + kind + "-uid",
                        List.of(ours.path(kind).path("uid").asText()));
            }
        }
        return new User(
                USER_PREFIX + namespace + ":" + account.path("name").asText(),
                groups(namespace),
                account.path("uid").asText(),
                extra);
    }

    /** The groups that all accounts of a namespace are in. */
    public static List<String> groups(String namespace) {
        return List.of("system:serviceaccounts", "system:serviceaccounts:" + namespace, User.AUTHENTICATED);
    }

    /** The document by which others find our keys. */
    public ObjectNode discovery(String advertised) {
        ObjectNode document = Json.object().put("issuer", ISSUER);
        document.put("jwks_uri", "https://" + advertised + "/openid/v1/jwks");
        document.putArray("response_types_supported").add("id_token");
        document.putArray("subject_types_supported").add("public");
        document.putArray("id_token_signing_alg_values_supported").add(JwsAlgorithm.ES256.name());
        return document;
    }

    /** Our open keys, for others to verify our tokens with. */
    public ObjectNode keys() {
        return signatures.published();
    }
}
