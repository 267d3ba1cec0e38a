package io.argosy.node.agent.log;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Which part of a container's log is wanted, as {@code kubectl logs} can say it.
 *
 * @param previous the instance before the current one
 * @param stream All, Stdout or Stderr
 */
public record LogOptions(
        boolean follow,
        boolean previous,
        boolean timestamps,
        Optional<Instant> since,
        OptionalLong tailLines,
        OptionalLong limitBytes,
        String stream) {
    public static final LogOptions ALL =
            new LogOptions(false, false, false, Optional.empty(), OptionalLong.empty(), OptionalLong.empty(), "All");

    public LogOptions following() {
        return new LogOptions(true, previous, timestamps, since, tailLines, limitBytes, stream);
    }

    public LogOptions withTail(long lines) {
        return new LogOptions(follow, previous, timestamps, since, OptionalLong.of(lines), limitBytes, stream);
    }

    public LogOptions withPrevious() {
        return new LogOptions(follow, true, timestamps, since, tailLines, limitBytes, stream);
    }

    public LogOptions withTimestamps() {
        return new LogOptions(follow, previous, true, since, tailLines, limitBytes, stream);
    }

    public LogOptions withSince(Instant instant) {
        return new LogOptions(follow, previous, timestamps, Optional.of(instant), tailLines, limitBytes, stream);
    }

    public LogOptions withLimit(long bytes) {
        return new LogOptions(follow, previous, timestamps, since, tailLines, OptionalLong.of(bytes), stream);
    }

    public LogOptions withStream(String only) {
        return new LogOptions(follow, previous, timestamps, since, tailLines, limitBytes, only);
    }

    boolean wants(String lineStream) {
        return stream.isEmpty() || stream.equals("All") || stream.equalsIgnoreCase(lineStream);
    }
}
