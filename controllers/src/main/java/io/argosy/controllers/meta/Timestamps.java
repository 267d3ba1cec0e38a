package io.argosy.controllers.meta;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Times as the API writes them: RFC 3339 in UTC, to the second. */
public final class Timestamps {
    private Timestamps() {}

    public static String format(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** The instant, or null where there is none; a controller meets only timestamps that the server wrote or checked. */
    public static Instant parse(String timestamp) {
        return timestamp == null || timestamp.isEmpty() ? null : Instant.parse(timestamp);
    }
}
