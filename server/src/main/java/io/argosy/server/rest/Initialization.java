package io.argosy.server.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.cache.Change;
import io.argosy.server.cache.Watcher;
import io.argosy.server.registry.DeleteOptions;
import io.argosy.server.registry.ResourceStore;
import io.argosy.server.registry.ResourceStore.Written;
import java.time.Duration;
import java.time.Instant;

/** What initializers mean for those who read and write: an object is there for others when the last of them has seen it. */
final class Initialization {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private Initialization() {}

    /** Whether the client asks for objects that are not initialized yet. */
    static boolean isIncluded(ResourceRequest request) {
        return request.params().flag("includeUninitialized");
    }

    /** Who creates an object gets it as initializers have left it, or is told why there is none. */
    static Written awaited(ResourceStore store, ResourceRequest request, String name, Written created) {
        if (request.dryRun() || isIncluded(request) || pending(store, request.namespace(), name, created) == null) {
            return created;
        }
        String key = store.key(request.namespace(), name);
        Clock clock = Clock.system(); // how long a client waits is a matter of real time
        Instant end = clock.now().plus(PATIENCE);
        try (Watcher watcher = store.watch(created.revision(), null)) {
            while (clock.now().isBefore(end) && !watcher.closed()) {
                Change change = watcher.next(Duration.between(clock.now(), end));
                if (change == null || !change.current().key().equals(key)) {
                    continue;
                }
                if (change.deleted()) {
                    throw ApiException.notFound(store.resource(), name);
                }
                if (!change.current().isUninitialized()) {
                    return new Written(change.current().json(), change.revision(), true);
                }
                ObjectNode left = Json.decodeObject(change.current().json());
                if (isFailed(left)) {
                    throw failure(left);
                }
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
        throw new ApiException(Reason.Timeout, "Timeout: request did not complete within requested timeout");
    }

    /** An object that an initializer has refused does not stay. */
    static void endIfFailed(ResourceStore store, ResourceRequest request, Written written) {
        ObjectNode object = request.dryRun() ? null : pending(store, request.namespace(), request.name(), written);
        if (object == null || !isFailed(object)) {
            return;
        }
        try {
            store.delete(
                    request.namespace(),
                    request.name(),
                    DeleteOptions.DEFAULT,
                    Writes.options(request, request.warnings()));
        } catch (ApiException gone) {
            if (!gone.is(Reason.NotFound)) {
                throw gone;
            }
        }
    }

    /** The object if it is not initialized yet, else null. Another server's cache may not have it yet, and then it is looked at itself. */
    private static ObjectNode pending(ResourceStore store, String namespace, String name, Written written) {
        CachedObject cached = store.shared() ? null : store.find(namespace, name);
        if (!store.shared() && (cached == null || !cached.isUninitialized())) {
            return null;
        }
        ObjectNode object = Json.decodeObject(written.json());
        return object.path("metadata").path("initializers").isObject() ? object : null;
    }

    private static boolean isFailed(ObjectNode object) {
        return object.at("/metadata/initializers/result/status").asText("").equals("Failure");
    }

    private static ApiException failure(ObjectNode object) {
        JsonNode result = object.at("/metadata/initializers/result");
        int code = result.path("code").asInt();
        Reason reason = Reason.Forbidden;
        for (Reason one : Reason.values()) {
            if (one.name().equals(result.path("reason").asText()) && (code == 0 || one.code() == code)) {
                reason = one;
            }
        }
        return new ApiException(reason, result.path("message").asText(""));
    }
}
