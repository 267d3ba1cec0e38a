package io.argosy.server.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import java.io.IOException;
import java.util.Base64;

/** Where a list goes on: at which revision, after which key. Clients hand it back unread. */
record Continuation(long revision, String afterKey) {
    /** Instead of a revision: go on in the newest state, whatever the first page showed. */
    private static final long NEWEST = -1;

    boolean isConsistent() {
        return revision != NEWEST;
    }

    Continuation at(long newRevision) {
        return new Continuation(newRevision, afterKey);
    }

    Continuation inconsistent() {
        return at(NEWEST);
    }

    String encode() {
        byte[] json = Json.encode(
                Json.object().put("v", "meta.k8s.io/v1").put("rv", revision).put("start", afterKey));
        return Base64.getUrlEncoder().withoutPadding().encodeToString(json);
    }

    /** Refuses what no list of that namespace can have said; an empty one stands for all. */
    static Continuation decode(String token, String namespace) {
        try {
            JsonNode json = Json.decode(Base64.getUrlDecoder().decode(token));
            long revision = json.path("rv").asLong();
            String start = json.path("start").asText("");
            boolean inside = !start.isEmpty() && (namespace.isEmpty() || start.startsWith(namespace + "/"));
            if ((revision > 0 || revision == NEWEST) && inside) {
                return new Continuation(revision, start);
            }
        } catch (IOException | IllegalArgumentException unreadable) {
            throw invalid();
        }
        throw invalid();
    }

    private static ApiException invalid() {
        return ApiException.badRequest("invalid continue token: continue key is not valid: encoding is not understood");
    }
}
