package io.argosy.server.registry;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.api.time.Clock;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.cache.Change;
import io.argosy.store.Result;
import io.argosy.store.StoreException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets Events go an hour after they were last written, so that what happened does not fill the store with what is. */
public final class EventExpiry implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EventExpiry.class);
    private static final Duration KEPT = Duration.ofHours(1);
    private static final Duration RETRY = Duration.ofMinutes(1);

    /** Those that fall due together go together. */
    private static final Duration STRIDE = Duration.ofSeconds(30);

    private static final String[] TIMES = {
        "/series/lastObservedTime",
        "/lastTimestamp",
        "/eventTime",
        "/deprecatedLastTimestamp",
        "/metadata/creationTimestamp"
    };

    private final ResourceStore events;
    private final Clock clock;
    private final PriorityQueue<Due> queue = new PriorityQueue<>(Comparator.comparing(Due::at));
    private Clock.Timer timer;
    private boolean loading = true;
    private boolean closed;

    private record Due(Instant at, CachedObject event) {}

    public EventExpiry(ResourceStore events, Clock clock) {
        this.events = events;
        this.clock = clock;
        events.cache().follow(this::changed);
        synchronized (this) {
            loading = false;
            wake();
        }
    }

    private synchronized void changed(Change change) {
        if (!change.deleted() && !closed) {
            Instant written = loading ? lastWritten(change.current()) : clock.now();
            queue.add(new Due(written.plus(KEPT), change.current()));
            wake();
        }
    }

    /** Events of an earlier run say themselves when they were last seen. */
    private Instant lastWritten(CachedObject event) {
        JsonNode tree = Json.decodeObject(event.json());
        for (String time : TIMES) {
            try {
                String text = tree.at(time).asText("");
                if (!text.isEmpty() && !text.equals("null")) {
                    Instant written = Instant.parse(text);
                    return written.isAfter(clock.now()) ? clock.now() : written;
                }
            } catch (DateTimeException unreadable) {
                LOG.debug("{} has no time at {}", event, time);
            }
        }
        return clock.now();
    }

    private synchronized void wake() {
        if (timer == null && !queue.isEmpty() && !closed && !loading) {
            Duration left = Duration.between(clock.now(), queue.peek().at());
            timer = clock.schedule(left.plus(STRIDE), this::expire);
        }
    }

    private void expire() {
        List<Due> taken = new ArrayList<>();
        try {
            List<CompletableFuture<Result>> going = new ArrayList<>();
            for (Due due = next(); due != null; due = next()) {
                taken.add(due);
                going.add(events.expire(due.event()));
            }
            CompletableFuture.allOf(going.toArray(CompletableFuture[]::new)).join();
        } catch (StoreException | CompletionException away) {
            LOG.warn("Events could not be let go; it is tried again in a minute: {}", away.getMessage());
            synchronized (this) {
                queue.addAll(taken);
                timer = closed ? null : clock.schedule(RETRY, this::expire);
            }
            return;
        }
        synchronized (this) {
            timer = null;
            wake();
        }
    }

    /** The next that is due and still as it was when it was noted. */
    private synchronized Due next() {
        while (!closed && !queue.isEmpty() && !queue.peek().at().isAfter(clock.now())) {
            Due due = queue.remove();
            CachedObject current = events.cache().get(due.event().key());
            if (current != null && current.revision() == due.event().revision()) {
                return due;
            }
        }
        return null;
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (timer != null) {
            timer.cancel();
        }
    }
}
