package io.argosy.node.agent.pod;

import java.time.Duration;
import java.time.Instant;

/** When volumes and sandbox of a pod may be tried again: each failure in a row doubles the wait, from half a second to two minutes. */
final class PrepareRetry {
    private static final Duration FIRST = Duration.ofMillis(500);
    private static final Duration LAST = Duration.ofMinutes(2);

    private Duration wait = FIRST;
    private Instant at = Instant.MIN;

    /** The moment before which nothing is tried. */
    Instant at() {
        return at;
    }

    void failed(Instant now) {
        at = now.plus(wait);
        Duration twice = wait.multipliedBy(2);
        wait = twice.compareTo(LAST) > 0 ? LAST : twice;
    }

    void succeeded() {
        wait = FIRST;
    }
}
