package io.argosy.controllers.daemonset;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Slows down the replacement of pods that fail on a node again and again: after 1 s, 2 s, 4 s ... 15 min. */
final class FailedPods {
    private static final Duration FIRST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofMinutes(15);

    private final Map<String, Wait> waits = new ConcurrentHashMap<>();

    private record Wait(Instant until, Duration length) {}

    /** How long a failed pod has to stay as it is; empty when it may be replaced now. */
    Optional<Duration> left(String setUid, String node, Instant now) {
        Wait wait = waits.get(key(setUid, node));
        return wait != null && wait.until.isAfter(now)
                ? Optional.of(Duration.between(now, wait.until))
                : Optional.empty();
    }

    /** A failed pod is being replaced: the next one on that node waits, longer if this happens again soon. */
    void replaced(String setUid, String node, Instant now) {
        Wait wait = waits.get(key(setUid, node));
        boolean again = wait != null && wait.until.plus(LONGEST.multipliedBy(2)).isAfter(now);
        Duration length = again ? wait.length.multipliedBy(2) : FIRST;
        Duration bounded = length.compareTo(LONGEST) > 0 ? LONGEST : length;
        waits.put(key(setUid, node), new Wait(now.plus(bounded), bounded));
    }

    private static String key(String setUid, String node) {
        return setUid + "/" + node;
    }

    void forget(String setUid) {
        waits.keySet().removeIf(key -> key.startsWith(setUid + "/"));
    }
}
