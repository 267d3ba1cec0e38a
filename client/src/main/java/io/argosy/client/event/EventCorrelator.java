package io.argosy.client.event;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.ObjectReference;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Decides what becomes of an event: a new one, one more of an old one, one of a heap of similar ones, or nothing because its
 * object floods. The rules and figures are those of client-go, so that {@code kubectl describe} shows what people expect. Used by
 * one thread.
 */
final class EventCorrelator {
    private static final int REMEMBERED = 4096;
    private static final int SIMILAR_BEFORE_COMBINED = 10;
    private static final Duration SIMILAR_WITHIN = Duration.ofMinutes(10);
    private static final int BURST = 25;
    private static final Duration ONE_MORE_EVERY = Duration.ofMinutes(5);
    private static final String COMBINED = "(combined from similar events): ";

    private final Map<String, Observed> observed = leastRecentlyUsed();
    private final Map<String, Similar> similar = leastRecentlyUsed();
    private final Map<String, Bucket> buckets = leastRecentlyUsed();

    /** The event to write; a count above one means that it stands already under this name and is to be patched. */
    record Verdict(Event event, String key) {}

    private record Observed(int count, String firstTimestamp, String name) {}

    private record Similar(Set<String> messages, Instant last) {}

    private record Bucket(double tokens, Instant at) {}

    Optional<Verdict> correlate(Event event, Instant now) {
        String key = aggregateKey(event) + '\0' + event.getMessage();
        Event result = event;
        if (isOneOfMany(event, now)) {
            key = aggregateKey(event);
            result = new EventBuilder(event)
                    .withMessage(COMBINED + event.getMessage())
                    .build();
        }
        Observed before = observed.get(key);
        if (before != null) {
            result = new EventBuilder(result)
                    .editMetadata()
                    .withName(before.name)
                    .endMetadata()
                    .withCount(before.count + 1)
                    .withFirstTimestamp(before.firstTimestamp)
                    .build();
        }
        remember(key, result);
        return takeToken(spamKey(event), now) ? Optional.of(new Verdict(result, key)) : Optional.empty();
    }

    /** Corrects the memory after the write, when the server holds something else than was planned. */
    void remember(String key, Event written) {
        observed.put(
                key,
                new Observed(
                        written.getCount(),
                        written.getFirstTimestamp(),
                        written.getMetadata().getName()));
    }

    private boolean isOneOfMany(Event event, Instant now) {
        String key = aggregateKey(event);
        Similar known = similar.get(key);
        Set<String> messages =
                known == null || known.last.plus(SIMILAR_WITHIN).isBefore(now) ? new HashSet<>() : known.messages;
        messages.add(event.getMessage());
        similar.put(key, new Similar(messages, now));
        if (messages.size() < SIMILAR_BEFORE_COMBINED) {
            return false;
        }
        messages.remove(messages.iterator().next());
        return true;
    }

    private boolean takeToken(String key, Instant now) {
        Bucket bucket = buckets.getOrDefault(key, new Bucket(BURST, now));
        double refilled = (double) Duration.between(bucket.at, now).toMillis() / ONE_MORE_EVERY.toMillis();
        double tokens = Math.min(BURST, bucket.tokens + refilled);
        boolean allowed = tokens >= 1;
        buckets.put(key, new Bucket(allowed ? tokens - 1 : tokens, now));
        return allowed;
    }

    private static String spamKey(Event event) {
        ObjectReference about = event.getInvolvedObject();
        return String.join(
                "\0",
                event.getSource().getComponent(),
                text(event.getSource().getHost()),
                text(about.getKind()),
                text(about.getNamespace()),
                text(about.getName()),
                text(about.getUid()),
                text(about.getApiVersion()));
    }

    private static String aggregateKey(Event event) {
        return String.join(
                "\0",
                spamKey(event),
                text(event.getInvolvedObject().getFieldPath()),
                event.getType(),
                event.getReason());
    }

    private static String text(String value) {
        return value == null ? "" : value;
    }

    private static <V> Map<String, V> leastRecentlyUsed() {
        return new LinkedHashMap<>(64, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
                return size() > REMEMBERED;
            }
        };
    }
}
