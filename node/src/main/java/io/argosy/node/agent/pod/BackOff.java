package io.argosy.node.agent.pod;

import java.time.Duration;
import java.time.Instant;

/**
 * How long to wait before trying again: 10 s after the first failure, twice as long after each further one, at most 5 min;
 * forgotten when the failures lie more than 10 min apart.
 *
 * @param delay how long the wait after the last failure is
 * @param since when the delay was last raised
 */
public record BackOff(Duration delay, Instant since) {
    public static final Duration FIRST = Duration.ofSeconds(10);
    public static final Duration LONGEST = Duration.ofMinutes(5);
    private static final Duration MEMORY = LONGEST.multipliedBy(2);

    /** The back-off after one more failure at this time; the one before may be null. */
    public static BackOff next(BackOff before, Instant failedAt, Instant now) {
        if (before == null || before.forgottenAt(failedAt)) {
            return new BackOff(FIRST, now);
        }
        Duration twice = before.delay.multipliedBy(2);
        return new BackOff(twice.compareTo(LONGEST) > 0 ? LONGEST : twice, now);
    }

    /** When something that failed at this time may be tried again; the back-off may be null: at once. */
    public static Instant retryAt(BackOff backOff, Instant failedAt) {
        return backOff == null || backOff.forgottenAt(failedAt) ? failedAt : failedAt.plus(backOff.delay);
    }

    /** What the back-off must have been after this many restarts, for a node agent that has itself been restarted. */
    public static BackOff afterRestarts(int restarts, Instant since) {
        Duration delay = FIRST;
        for (int i = 1; i < restarts && delay.compareTo(LONGEST) < 0; i++) {
            delay = delay.multipliedBy(2);
        }
        return new BackOff(delay.compareTo(LONGEST) > 0 ? LONGEST : delay, since);
    }

    private boolean forgottenAt(Instant failedAt) {
        return Duration.between(since, failedAt).compareTo(MEMORY) > 0;
    }

    /** As Go prints durations of whole seconds: 10s, 2m40s, 5m0s. */
    public static String words(Duration delay) {
        long seconds = delay.toSeconds();
        return seconds < 60 ? seconds + "s" : seconds / 60 + "m" + seconds % 60 + "s";
    }
}
