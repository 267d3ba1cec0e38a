package io.argosy.controllers.cronjob;

import io.argosy.api.time.CronSchedule;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Optional;

/**
 * The last of the times that came and went unused, if any.
 *
 * @param latest the time that a run may still be started for; empty when none has come
 * @param tooMany more than a hundred came: the clock jumped, or nobody looked for long
 */
record MissedTimes(Optional<Instant> latest, boolean tooMany) {
    private static final int MANY = 100;
    private static final MissedTimes NONE = new MissedTimes(Optional.empty(), false);

    /** Looks at the times after {@code from} up to now; jumps over most of them, for there may be a great many. */
    static MissedTimes between(CronSchedule schedule, Instant from, Instant now, ZoneId zone) {
        Optional<Instant> first = schedule.next(from, zone);
        if (first.isEmpty() || first.get().isAfter(now)) {
            return NONE;
        }
        Optional<Instant> second = schedule.next(first.get(), zone);
        if (second.isEmpty() || second.get().isAfter(now)) {
            return new MissedTimes(first, false);
        }
        long between = Duration.between(first.get(), second.get()).toSeconds();
        long missed = Duration.between(first.get(), now).toSeconds() / between + 1;
        Instant latest = first.get();
        Instant start = first.get().plusSeconds(Math.max(0, missed - 2) * between);
        Optional<Instant> next = schedule.next(start.isAfter(now) ? first.get() : start, zone);
        while (next.isPresent() && !next.get().isAfter(now)) {
            latest = next.get();
            next = schedule.next(latest, zone);
        }
        if (latest.equals(first.get())) {
            latest = second.get();
            for (next = schedule.next(latest, zone);
                    next.isPresent() && !next.get().isAfter(now);
                    next = schedule.next(latest, zone)) {
                latest = next.get();
            }
        }
        return new MissedTimes(Optional.of(latest), missed > MANY);
    }
}
