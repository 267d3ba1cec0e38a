package io.argosy.operators.cluster;

import io.argosy.operators.resource.EtcdClusterStatus;
import io.argosy.operators.resource.EtcdClusterStatus.Silent;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * For how long members have been silent, as the status remembers it. Only time in which somebody looked counts: an operator that was down, or
 * a clock that was set, is no reason to take a member for dead.
 */
final class Silence {
    /** As much as may count between one look and the next. */
    private static final Duration LONGEST = Duration.ofSeconds(8);
    /** How old a look in the status may be, so that it need not be written at each. */
    private static final Duration WRITTEN = Duration.ofSeconds(5);

    private final EtcdClusterStatus before;
    private final Instant now;

    /** The status before may be null. */
    Silence(EtcdClusterStatus before, Instant now) {
        this.before = before;
        this.now = now;
    }

    /** Since when, as if there had been no time in which nobody looked. */
    Instant since(String member) {
        return remembered(member)
                .map(silent -> {
                    Instant lookedAt = Instant.parse(silent.lookedAt());
                    Duration counted = Duration.between(Instant.parse(silent.since()), lookedAt);
                    return now.minus(counted).minus(between(lookedAt));
                })
                .orElse(now);
    }

    private Duration between(Instant lookedAt) {
        Duration passed = Duration.between(lookedAt, now);
        if (passed.isNegative()) {
            return Duration.ZERO;
        }
        return passed.compareTo(LONGEST) > 0 ? LONGEST : passed;
    }

    /** What to remember of a member that has been silent since then. */
    Silent entry(String member, Instant since) {
        return remembered(member)
                .filter(silent -> Instant.parse(silent.since()).equals(since)
                        && !Instant.parse(silent.lookedAt()).plus(WRITTEN).isBefore(now))
                .orElseGet(() -> new Silent(member, since.toString(), now.toString()));
    }

    private Optional<Silent> remembered(String member) {
        return before == null || before.silent() == null
                ? Optional.empty()
                : before.silent().stream()
                        .filter(silent -> silent.name().equals(member) && silent.lookedAt() != null)
                        .findFirst();
    }
}
