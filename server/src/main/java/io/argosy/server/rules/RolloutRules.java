package io.argosy.server.rules;

import io.argosy.api.json.Json;
import io.argosy.server.validation.Spot;
import java.util.List;

/** How the pods of a workload are replaced by new ones. */
final class RolloutRules {
    private static final String ROLLING = "RollingUpdate";

    private RolloutRules() {}

    static void deployment(Spot strategy) {
        Spot rolling = strategy.at("rollingUpdate");
        switch (strategy.text("type")) {
            case "Recreate" -> {
                if (rolling.isGiven()) {
                    rolling.forbidden("may not be specified when strategy `type` is 'Recreate'");
                }
            }
            case ROLLING -> {
                Spot missing = rolling.at("maxUnavailable");
                Share.check(missing);
                Share.check(rolling.at("maxSurge"));
                if (Share.isZero(missing) && Share.isZero(rolling.at("maxSurge"))) {
                    missing.invalid("may not be 0 when `maxSurge` is 0");
                }
                Share.notMoreThanAll(missing);
            }
            default -> strategy.errors().notSupported(strategy.path(), shown(strategy), List.of("Recreate", ROLLING));
        }
    }

    static void daemonSet(Spot strategy) {
        switch (strategy.text("type")) {
            case "OnDelete" -> {}
            case ROLLING -> {
                Spot missing = strategy.at("rollingUpdate").at("maxUnavailable");
                Spot surge = strategy.at("rollingUpdate").at("maxSurge");
                for (Spot share : List.of(missing, surge)) {
                    Share.check(share);
                    Share.notMoreThanAll(share);
                }
                if (!Share.isZero(missing) && !Share.isZero(surge)) {
                    surge.invalid("may not be set when maxUnavailable is non-zero");
                } else if (Share.isZero(missing) && Share.isZero(surge)) {
                    missing.required("cannot be 0 when maxSurge is 0");
                }
            }
            default -> strategy.errors().notSupported(strategy.path(), shown(strategy), List.of(ROLLING, "OnDelete"));
        }
    }

    static void statefulSet(Spot strategy) {
        Spot rolling = strategy.at("rollingUpdate");
        switch (strategy.text("type")) {
            case "OnDelete" -> {
                if (rolling.isGiven()) {
                    rolling.invalid("only allowed for updateStrategy 'RollingUpdate'");
                }
            }
            case ROLLING -> {
                rolling.at("partition").notNegative();
                Spot missing = rolling.at("maxUnavailable");
                if (missing.isGiven()) {
                    Share.check(missing);
                    if (Share.isZero(missing)) {
                        missing.invalid("cannot be 0");
                    }
                    Share.notMoreThanAll(missing);
                }
            }
            default -> strategy.invalid(shown(strategy), "must be 'RollingUpdate' or 'OnDelete'");
        }
    }

    /** As upstream shows a strategy that it does not know. */
    private static Object shown(Spot strategy) {
        Spot rolling = strategy.at("rollingUpdate");
        return Json.object()
                .put("Type", strategy.text("type"))
                .set("RollingUpdate", rolling.isGiven() ? rolling.value() : null);
    }
}
