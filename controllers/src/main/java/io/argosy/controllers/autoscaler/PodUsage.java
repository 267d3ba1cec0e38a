package io.argosy.controllers.autoscaler;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * What one pod uses, as its node measured it.
 *
 * @param window the time that use was measured over, which ended at the timestamp
 * @param containers by container and resource, in thousandths of the resource's unit
 */
record PodUsage(Instant timestamp, Duration window, Map<String, Map<String, Long>> containers) {

    /** What the container uses of a resource, or all of them where the container's name is empty; empty if one was not measured. */
    Optional<Long> of(String resource, String container) {
        if (!container.isEmpty()) {
            return Optional.ofNullable(
                    containers.getOrDefault(container, Map.of()).get(resource));
        }
        long sum = 0;
        for (Map<String, Long> used : containers.values()) {
            Long amount = used.get(resource);
            if (amount == null) {
                return Optional.empty();
            }
            sum += amount;
        }
        return containers.isEmpty() ? Optional.empty() : Optional.of(sum);
    }
}
