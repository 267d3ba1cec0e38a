package io.argosy.node.agent.log;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Which part of a container's log is wanted, as {@code kubectl logs} can say it.
 *
 * @param previous the instance before the current one
 */
public record LogOptions(
        boolean follow,
        boolean previous,
        boolean timestamps,
        Optional<Instant> since,
        OptionalLong tailLines,
        OptionalLong limitBytes) {
    public static final LogOptions ALL =
            new LogOptions(false, false, false, Optional.empty(), OptionalLong.empty(), OptionalLong.empty());

    public LogOptions following() {
        return new LogOptions(true, previous, timestamps, since, tailLines, limitBytes);
    }

    public LogOptions withTail(long lines) {
        return new LogOptions(follow, previous, timestamps, since, OptionalLong.of(lines), limitBytes);
    }

    public LogOptions withPrevious() {
        return new LogOptions(follow, true, timestamps, since, tailLines, limitBytes);
    }

    public LogOptions withTimestamps() {
        return new LogOptions(follow, previous, true, since, tailLines, limitBytes);
    }

    public LogOptions withSince(Instant instant) {
        return new LogOptions(follow, previous, timestamps, Optional.of(instant), tailLines, limitBytes);
    }

    public LogOptions withLimit(long bytes) {
        return new LogOptions(follow, previous, timestamps, since, tailLines, OptionalLong.of(bytes));
    }
}
