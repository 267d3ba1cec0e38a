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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets Events go an hour after they were last written, so that what happened does not fill the store with what is. */
public final class EventExpiry implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EventExpiry.class);
    public static final Duration KEPT = Duration.ofHours(1);
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
    private final TreeSet<Due> queue =
            new TreeSet<>(Comparator.comparing(Due::at).thenComparing(Due::key));

    /** When each event is due by its last write; what it was before does not count any more. */
    private final Map<String, Due> last = new HashMap<>();

    private Clock.Timer timer;
    private boolean loading = true;
    private boolean closed;

    private record Due(Instant at, String key, long revision) {}

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
        CachedObject event = change.current();
        Due before = last.remove(event.key());
        if (before != null) {
            queue.remove(before);
        }
        if (!change.deleted() && !closed) {
            Instant written = loading ? lastWritten(event) : clock.now();
            add(new Due(written.plus(KEPT), event.key(), event.revision()));
            wake();
        }
    }

    private void add(Due due) {
        last.put(due.key(), due);
        queue.add(due);
    }

    /** How many events are waited for. */
    synchronized int size() {
        return queue.size();
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
            Duration left = Duration.between(clock.now(), queue.first().at());
            timer = clock.schedule(left.plus(STRIDE), this::expire);
        }
    }

    private void expire() {
        List<CachedObject> taken = new ArrayList<>();
        try {
            List<CompletableFuture<Result>> going = new ArrayList<>();
            for (CachedObject event = next(); event != null; event = next()) {
                taken.add(event);
                going.add(events.expire(event));
            }
            CompletableFuture.allOf(going.toArray(CompletableFuture[]::new)).join();
        } catch (StoreException | CompletionException away) {
            LOG.warn("Events could not be let go; it is tried again in a minute: {}", away.getMessage());
            synchronized (this) {
                taken.stream()
                        .filter(event -> !last.containsKey(event.key()))
                        .forEach(event -> add(new Due(clock.now(), event.key(), event.revision())));
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
    private synchronized CachedObject next() {
        while (!closed && !queue.isEmpty() && !queue.first().at().isAfter(clock.now())) {
            Due due = queue.removeFirst();
            last.remove(due.key());
            CachedObject current = events.cache().get(due.key());
            if (current != null && current.revision() == due.revision()) {
                return current;
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
