package io.argosy.server.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import java.io.IOException;
import java.util.Base64;

/** Where a list goes on: at which revision, after which key. Clients hand it back unread. */
record Continuation(long revision, String afterKey) {
    String encode() {
        byte[] json = Json.encode(
                Json.object().put("v", "meta.k8s.io/v1").put("rv", revision).put("start", afterKey));
        return Base64.getUrlEncoder().withoutPadding().encodeToString(json);
    }

    static Continuation decode(String token) {
        try {
            JsonNode json = Json.decode(Base64.getUrlDecoder().decode(token));
            if (json.path("rv").asLong() > 0 && json.path("start").isTextual()) {
                return new Continuation(
                        json.get("rv").asLong(), json.get("start").asText());
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
