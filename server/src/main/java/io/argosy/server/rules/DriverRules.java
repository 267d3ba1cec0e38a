package io.argosy.server.rules;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.server.validation.Spot;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a storage driver tells of itself; whether its volumes are attached, and for how long they live, it tells once. */
public final class DriverRules {
    private static final long SHORTEST_TOKEN = 600;
    private static final long LONGEST_TOKEN = 1L << 32;
    private static final long SHORTEST_PERIOD = 10;

    private DriverRules() {}

    public static void check(Spot driver) {
        Spot spec = driver.at("spec");
        spec.at("fsGroupPolicy").oneOf(List.of("File", "None", "ReadWriteOnceWithFSType"));
        tokens(spec.each("tokenRequests"));
        for (Spot mode : spec.each("volumeLifecycleModes")) {
            mode.called("spec.volumeLifecycleModes").neededOneOf(List.of("Persistent", "Ephemeral"));
        }
        Spot period = spec.at("nodeAllocatableUpdatePeriodSeconds");
        if (period.isGiven() && period.number() < SHORTEST_PERIOD) {
            period.invalid("must be greater than or equal to " + SHORTEST_PERIOD + " seconds");
        }
        if (spec.has("serviceAccountTokenInSecrets")
                && spec.at("tokenRequests").value().isEmpty()) {
            spec.at("serviceAccountTokenInSecrets")
                    .invalid("serviceAccountTokenInSecrets is set but no tokenRequests are specified");
        }
    }

    private static void tokens(List<Spot> requests) {
        Set<String> audiences = new HashSet<>();
        for (Spot request : requests) {
            Spot seconds = request.at("expirationSeconds");
            if (!audiences.add(request.text("audience"))) {
                request.at("audience").duplicate(request.text("audience"));
            } else if (seconds.isGiven() && seconds.number() < SHORTEST_TOKEN) {
                seconds.invalid("may not specify a duration less than 10 minutes");
            } else if (seconds.number() > LONGEST_TOKEN) {
                seconds.invalid("may not specify a duration larger than 2^32 seconds");
            }
        }
    }

    public static void change(Spot driver, JsonNode before) {
        Spot spec = driver.at("spec");
        fixed(spec.at("attachRequired").called("spec.attachedRequired"), before.at("/spec/attachRequired"));
        fixed(spec.at("volumeLifecycleModes"), before.at("/spec/volumeLifecycleModes"));
    }

    private static void fixed(Spot now, JsonNode before) {
        if (!now.value().equals(before)) {
            now.invalid("field is immutable");
        }
    }
}
