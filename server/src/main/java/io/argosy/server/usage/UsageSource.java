package io.argosy.server.usage;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** Where the server learns what nodes and containers use. */
public interface UsageSource {
    /** Nobody measures anything. */
    UsageSource NONE = new UsageSource() {
        @Override
        public Optional<Sample> node(String name) {
            return Optional.empty();
        }

        @Override
        public Map<String, Sample> containers(JsonNode pod) {
            return Map.of();
        }
    };

    /**
     * What something uses.
     *
     * @param window how long was measured, up to that moment
     * @param nanoCores processors in use on average over that time, in billionths of one
     * @param memoryBytes memory in use at that moment that could not be dropped at once
     */
    record Sample(Instant at, Duration window, long nanoCores, long memoryBytes) {}

    Optional<Sample> node(String name);

    /** By container; empty if the pod does not run, or nobody measures it. */
    Map<String, Sample> containers(JsonNode pod);
}
