package io.argosy.server.policy;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.dynamic.Criteria;
import java.util.ArrayList;
import java.util.List;

/** Puts a policy into effect: for which writes, with which parameters, and what then happens. Immutable. */
record Binding(String name, String policy, Criteria narrowing, JsonNode paramRef, List<String> actions) {
    static List<Binding> read(CachedObject object) {
        JsonNode spec = Json.decodeObject(object.json()).path("spec");
        List<String> actions = new ArrayList<>();
        spec.path("validationActions").forEach(action -> actions.add(action.asText()));
        return List.of(new Binding(
                object.name(),
                spec.path("policyName").asText(),
                Criteria.of(spec.path("matchResources")),
                spec.path("paramRef"),
                actions));
    }
}
