package io.argosy.server.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import java.io.IOException;
import java.util.Base64;

/** Where a list goes on: at which revision, after which key. Clients hand it back unread. */
record Continuation(long revision, String afterKey) {
    private static final String FORM = "meta.k8s.io/v1";

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
        byte[] json =
                Json.encode(Json.object().put("v", FORM).put("rv", revision).put("start", afterKey));
        return Base64.getUrlEncoder().withoutPadding().encodeToString(json);
    }

    /** Refuses what no list of that namespace can have said; an empty one stands for all. */
    static Continuation decode(String token, String namespace) {
        try {
            JsonNode json = Json.decode(Base64.getUrlDecoder().decode(token));
            String form = json.path("v").asText("");
            if (!form.equals(FORM)) {
                throw invalid(": server does not recognize this encoded version " + form);
            }
            long revision = json.path("rv").asLong();
            if (revision < 1 && revision != NEWEST) {
                throw invalid(": incorrect encoded start resourceVersion (version " + FORM + ")");
            }
            String start = json.path("start").asText("");
            if (start.isEmpty()) {
                throw invalid(": encoded start key empty (version " + FORM + ")");
            }
            if (!namespace.isEmpty() && !start.startsWith(namespace + "/")) {
                throw invalid(": " + start);
            }
            return new Continuation(revision, start);
        } catch (IOException | IllegalArgumentException unreadable) {
            throw invalid(": encoding is not understood");
        }
    }

    private static ApiException invalid(String why) {
        return ApiException.badRequest("invalid continue token: continue key is not valid" + why);
    }
}
