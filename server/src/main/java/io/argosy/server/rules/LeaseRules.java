package io.argosy.server.rules;

import io.argosy.server.validation.Spot;

/** Who holds what, for how long. */
public final class LeaseRules {
    private LeaseRules() {}

    public static void check(Spot lease) {
        Spot spec = lease.at("spec");
        if (spec.has("leaseDurationSeconds")) {
            spec.at("leaseDurationSeconds").positive();
        }
        spec.at("leaseTransitions").notNegative();
    }
}
