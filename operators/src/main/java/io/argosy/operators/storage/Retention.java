package io.argosy.operators.storage;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the snapshots of one periodic backup are called, as the original operator calls them, and which of them are too many. */
public final class Retention {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd-HH:mm:ss");
    private static final Pattern FORM = Pattern.compile("_v(\\d{1,18})_(\\d{4}-\\d{2}-\\d{2}-\\d{2}:\\d{2}:\\d{2})");

    private Retention() {}

    public static String key(String base, long revision, Instant now) {
        return base + "_v" + revision + "_" + TIME.format(now.atOffset(ZoneOffset.UTC));
    }

    /** The oldest beyond so many. What is not called so is somebody else's; by time, since a restored cluster's revisions go back. */
    public static List<String> surplus(String base, List<String> keys, int keep) {
        List<Kept> kept = keys.stream()
                .filter(key -> key.startsWith(base))
                .map(key -> parse(base, key))
                .flatMap(Optional::stream)
                .sorted(Comparator.comparing(Kept::time).thenComparing(Kept::revision))
                .toList();
        return keep <= 0
                ? List.of()
                : kept.subList(0, Math.max(0, kept.size() - keep)).stream()
                        .map(Kept::key)
                        .toList();
    }

    private record Kept(String key, LocalDateTime time, long revision) {}

    private static Optional<Kept> parse(String base, String key) {
        Matcher matcher = FORM.matcher(key.substring(base.length()));
        try {
            return matcher.matches()
                    ? Optional.of(new Kept(
                            key, LocalDateTime.parse(matcher.group(2), TIME), Long.parseLong(matcher.group(1))))
                    : Optional.empty();
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }
}
