package io.argosy.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupResource;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Cause;
import io.argosy.server.authn.LegacyTokens;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.Admission;
import io.argosy.server.registry.ResourceStore;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.function.Supplier;

/**
 * Fills Secrets that ask for a service account's token: the token, the namespace and the certificate to know the server by. One that was
 * taken out is put back at the next write. Secrets for accounts that are not there stay empty; a loop deletes them.
 */
public final class TokenSecrets implements Admission {
    public static final String ACCOUNT = "kubernetes.io/service-account.name";
    private static final String ACCOUNT_UID = "kubernetes.io/service-account.uid";
    private static final GroupResource SECRETS = new GroupResource("", "secrets");

    private final Supplier<ResourceStore> accounts;
    private final LegacyTokens tokens;
    private final Supplier<String> authority;

    public TokenSecrets(Supplier<ResourceStore> accounts, LegacyTokens tokens, Supplier<String> authority) {
        this.accounts = accounts;
        this.tokens = tokens;
        this.authority = authority;
    }

    private static boolean isAsked(Review review) {
        return review.type().groupResource().equals(SECRETS)
                && review.object() != null
                && review.object().path("type").asText().equals(LegacyTokens.TYPE);
    }

    @Override
    public void mutate(Review review) {
        if (!isAsked(review)) {
            return;
        }
        CachedObject account = accounts.get().find(review.namespace(), account(review));
        if (account != null) {
            fill(review, Json.decodeObject(account.json()).path("metadata"));
        }
    }

    private static String account(Review review) {
        return review.object().at("/metadata/annotations").path(ACCOUNT).asText("");
    }

    private void fill(Review review, JsonNode account) {
        String uid = account.path("uid").asText();
        ObjectNode annotations = review.object().withObject("/metadata/annotations");
        if (!annotations.path(ACCOUNT_UID).asText(uid).equals(uid)) {
            return; // for an account of that name that is no more
        }
        annotations.put(ACCOUNT_UID, uid);
        ObjectNode data = review.object().withObject("/data");
        if (!tokens.isFor(text(data, "token"), review.namespace(), uid, review.name())) {
            String token = tokens.issue(review.namespace(), account.path("name").asText(), uid, review.name());
            data.put("token", encoded(token));
        }
        data.put("namespace", encoded(review.namespace()));
        if (!authority.get().isEmpty()) {
            data.put("ca.crt", encoded(authority.get()));
        }
    }

    private static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(JsonNode data, String key) {
        try {
            return new String(Base64.getDecoder().decode(data.path(key).asText("")), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException unreadable) {
            return "";
        }
    }

    @Override
    public void validate(Review review) {
        if (isAsked(review) && account(review).isEmpty()) {
            throw ApiException.invalid(
                    "",
                    "Secret",
                    review.name(),
                    List.of(new Cause(
                            "FieldValueRequired", "Required value", "metadata.annotations[" + ACCOUNT + "]")));
        }
    }
}
