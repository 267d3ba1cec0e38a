package io.argosy.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.server.authn.User;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.Registry;
import io.argosy.server.registry.ResourceStore;
import io.argosy.server.registry.WriteOptions;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says since when the use of tokens in Secrets is written down, in a ConfigMap: a token without a note was not used since then. One that is
 * deleted is made anew, with the day on which that happens; one that cannot be read is put right.
 */
public final class LegacyTokenTracking implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LegacyTokenTracking.class);
    private static final String NAMESPACE = "kube-system";
    private static final String NAME = "kube-apiserver-legacy-service-account-token-tracking";
    private static final String SINCE = "since";

    /** Servers of which only some write down uses must not fight over it. */
    private static final Duration BETWEEN = Duration.ofMinutes(30);

    private final Registry registry;
    private final Clock clock;
    private final AtomicBoolean looking = new AtomicBoolean();
    private final WriteOptions options = new WriteOptions(
            new User("system:apiserver", List.of(User.MASTERS)),
            false,
            warning -> {},
            new WriteOptions.Writer("kube-apiserver", "v1", false, false));
    private Instant made;
    private Clock.Timer again;
    private boolean closed;

    public LegacyTokenTracking(Registry registry, Clock clock) {
        this.registry = registry;
        this.clock = clock;
    }

    /** Looks at once, on the calling thread, and whenever it is changed. */
    public void start() {
        look();
        maps().cache().follow(change -> {
            CachedObject object = change.current();
            if (object.name().equals(NAME) && object.namespace().equals(NAMESPACE)) {
                lookBeside();
            }
        });
    }

    private ResourceStore maps() {
        return registry.store("", "configmaps");
    }

    private void lookBeside() {
        if (looking.compareAndSet(false, true)) {
            clock.hold();
            Thread.ofVirtual().name("token tracking").start(() -> {
                try {
                    looking.set(false);
                    look();
                } finally {
                    clock.release();
                }
            });
        }
    }

    private synchronized void look() {
        if (closed) {
            return;
        }
        try {
            CachedObject found = maps().find(NAMESPACE, NAME);
            if (found == null) {
                make();
            } else if (!isDay(Json.decodeObject(found.json()).path("data").path(SINCE))) {
                maps().update(NAMESPACE, NAME, "", this::corrected, options);
            }
        } catch (ApiException refusal) {
            if (!refusal.is(Reason.AlreadyExists) && !refusal.is(Reason.NotFound)) {
                LOG.warn("{} was not brought up to date", NAME, refusal);
                lookIn(BETWEEN);
            }
        }
    }

    private void make() {
        Instant now = clock.now();
        if (made != null && now.isBefore(made.plus(BETWEEN))) {
            lookIn(Duration.between(now, made.plus(BETWEEN)));
            return;
        }
        ObjectNode map = Json.object().put("kind", "ConfigMap").put("apiVersion", "v1");
        map.putObject("metadata").put("name", NAME).put("namespace", NAMESPACE);
        maps().create(NAMESPACE, corrected(map), options);
        made = now;
    }

    private ObjectNode corrected(ObjectNode map) {
        String today = clock.now().atOffset(ZoneOffset.UTC).toLocalDate().toString();
        map.withObject("/data").put(SINCE, today);
        return map;
    }

    private void lookIn(Duration delay) {
        if (again != null) {
            again.cancel();
        }
        again = clock.schedule(delay, this::lookBeside);
    }

    private static boolean isDay(JsonNode since) {
        try {
            LocalDate.parse(since.asText(""));
            return true;
        } catch (DateTimeParseException noDay) {
            return false;
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (again != null) {
            again.cancel();
        }
    }
}
