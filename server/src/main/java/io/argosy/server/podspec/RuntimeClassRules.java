package io.argosy.server.podspec;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.validation.Spot;

/** What a RuntimeClass must say: it gives pods amounts and places, so those follow the rules of pods. */
public final class RuntimeClassRules {
    private RuntimeClassRules() {}

    public static void check(JsonNode runtimeClass, FieldErrors errors) {
        new Spot(runtimeClass.path("handler"), "handler", errors).label();
        Amounts.ofOverhead(new Spot(runtimeClass.path("overhead").path("podFixed"), "overhead", errors), "overhead");
        Placement.ofRuntime(new Spot(runtimeClass.path("scheduling"), "scheduling", errors));
    }
}
