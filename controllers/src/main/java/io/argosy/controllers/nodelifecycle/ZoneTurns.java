package io.argosy.controllers.nodelifecycle;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Who may be tainted now: the first lost node of a zone at once, every further one when its turn comes. */
final class ZoneTurns {
    private final Map<String, Instant> last = new HashMap<>();

    /** How long until the next node's turn, zero when it is now; empty when there is none at this rate. */
    synchronized Optional<Duration> wait(String zone, double rate, Instant now) {
        if (rate <= 0) {
            return Optional.empty();
        }
        Instant before = last.get(zone);
        Instant free = before == null ? now : before.plusMillis(Math.round(1000 / rate));
        return Optional.of(free.isAfter(now) ? Duration.between(now, free) : Duration.ZERO);
    }

    synchronized void used(String zone, Instant now) {
        last.put(zone, now);
    }
}
