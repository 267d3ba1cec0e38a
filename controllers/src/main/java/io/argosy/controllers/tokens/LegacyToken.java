package io.argosy.controllers.tokens;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.controllers.meta.Timestamps;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/**
 * A Secret with a token that has no end, and what is to become of it: one that was made for its account long ago, and that nobody has
 * used for long and no pod mounts, is first marked, which makes it worthless until somebody takes the mark away, and deleted when nobody
 * has for as long again. Days, not hours, count: those who watch the use of tokens write down no more.
 *
 * @param lastUsed the day that the server wrote down; empty if it never saw the token
 * @param invalidSince the day it was marked; empty if it is not
 */
record LegacyToken(
        String namespace,
        String name,
        String resourceVersion,
        Instant created,
        String lastUsed,
        String invalidSince,
        String account,
        String accountUid,
        boolean deleting) {
    static final String TYPE = "kubernetes.io/service-account-token";
    static final String LAST_USED = "kubernetes.io/legacy-token-last-used";
    static final String INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since";

    /** What to do with it. */
    enum Verdict {
        KEEP,
        MARK,
        DELETE
    }

    static LegacyToken of(JsonNode secret) {
        JsonNode metadata = secret.path("metadata");
        JsonNode annotations = metadata.path("annotations");
        return new LegacyToken(
                metadata.path("namespace").asText(),
                metadata.path("name").asText(),
                metadata.path("resourceVersion").asText(),
                Timestamps.parse(metadata.path("creationTimestamp").asText()),
                metadata.path("labels").path(LAST_USED).asText(""),
                metadata.path("labels").path(INVALID_SINCE).asText(""),
                annotations.path("kubernetes.io/service-account.name").asText(""),
                annotations.path("kubernetes.io/service-account.uid").asText(""),
                metadata.hasNonNull("deletionTimestamp"));
    }

    /**
     * Whether use has been written down for so long that a token without a note can be taken for unused.
     *
     * @param since the day it began, of which an unknown part counts
     */
    static boolean isKnownLongEnough(String since, Instant now, Duration unused) {
        return day(since)
                .map(day -> !now.isBefore(
                        day.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant().plus(unused)))
                .orElse(false);
    }

    /** Whether it is worth a look at who made it and who mounts it. */
    boolean isUnused(Instant now, Duration unused) {
        Instant kept = now.minus(unused);
        if (deleting || !created.isBefore(kept)) {
            return false;
        }
        if (lastUsed.isEmpty()) {
            return true;
        }
        return day(lastUsed).map(day -> day.isBefore(dayOf(kept))).orElse(false); // what nobody can read says nothing
    }

    /** Of one that is unused, made for its account and mounted by no pod. */
    Verdict verdict(Instant now, Duration unused) {
        return day(invalidSince)
                .map(day -> day.isBefore(dayOf(now.minus(unused))) ? Verdict.DELETE : Verdict.KEEP)
                .orElse(Verdict.MARK);
    }

    static LocalDate dayOf(Instant time) {
        return time.atOffset(ZoneOffset.UTC).toLocalDate();
    }

    private static Optional<LocalDate> day(String text) {
        try {
            return Optional.of(LocalDate.parse(text));
        } catch (DateTimeParseException unreadable) {
            return Optional.empty();
        }
    }
}
