package io.argosy.server.rules;

import io.argosy.server.validation.Spot;

/** What a controller's object once was. */
public final class RevisionRules {
    private RevisionRules() {}

    public static void check(Spot revision) {
        revision.at("revision").notNegative();
    }

    /** What must be said of it when it is made; it never changes. */
    public static void checkData(Spot revision) {
        Spot data = revision.at("data");
        if (!data.isGiven()) {
            data.required("data is mandatory");
        } else if (!data.value().isObject()) {
            data.required("data must be a valid JSON object");
        }
    }
}
