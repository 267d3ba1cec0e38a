package io.argosy.controllers.autoscaler;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;

/** What one autoscaler has recommended and done lately. Used by one thread at a time. */
final class History {
    private final Deque<Entry> recommendations = new ArrayDeque<>();
    private final Deque<Entry> added = new ArrayDeque<>();
    private final Deque<Entry> removed = new ArrayDeque<>();

    private Instant nextLook = Instant.MIN;

    private record Entry(int number, Instant at) {}

    /** How long until the next look; what happens meanwhile, our own writes included, is no reason for an earlier one. */
    Duration untilNextLook(Instant now) {
        return nextLook.isAfter(now) ? Duration.between(now, nextLook) : Duration.ZERO;
    }

    void looked(Instant now, Duration period) {
        nextLook = now.plus(period);
    }

    /** The first recommendation is what there is, so that a start of this process shrinks nothing at once. */
    void begin(int current, Instant now) {
        if (recommendations.isEmpty()) {
            recommendations.add(new Entry(current, now));
        }
    }

    void recommended(int replicas, Instant now, Duration longest) {
        forget(recommendations, now, longest);
        recommendations.add(new Entry(replicas, now));
    }

    int highest(Instant now, Duration window, int atLeast) {
        return recommendations.stream()
                .filter(entry -> entry.at.isAfter(now.minus(window)))
                .mapToInt(Entry::number)
                .reduce(atLeast, Math::max);
    }

    int lowest(Instant now, Duration window, int atMost) {
        return recommendations.stream()
                .filter(entry -> entry.at.isAfter(now.minus(window)))
                .mapToInt(Entry::number)
                .reduce(atMost, Math::min);
    }

    void scaled(int from, int to, Instant now, Duration longest) {
        forget(added, now, longest);
        forget(removed, now, longest);
        if (to > from) {
            added.add(new Entry(to - from, now));
        } else {
            removed.add(new Entry(from - to, now));
        }
    }

    /** How many there were at the beginning of a period that ends now. */
    int before(int current, Instant now, Duration period) {
        return current - sum(added, now, period) + sum(removed, now, period);
    }

    private static int sum(Deque<Entry> entries, Instant now, Duration period) {
        return entries.stream()
                .filter(entry -> entry.at.isAfter(now.minus(period)))
                .mapToInt(Entry::number)
                .sum();
    }

    private static void forget(Deque<Entry> entries, Instant now, Duration longest) {
        while (!entries.isEmpty() && entries.getFirst().at.isBefore(now.minus(longest))) {
            entries.removeFirst();
        }
    }
}
