package io.argosy.controllers.tokens;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.GroupVersion;
import io.argosy.api.NamespacedName;
import io.argosy.api.json.Json;
import io.argosy.api.time.Clock;
import io.argosy.client.ApiTransport;
import io.argosy.client.controller.WorkQueue;
import io.argosy.controllers.watch.ListWatch;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;

/** What a loop wants to know of the Secrets that hold service account tokens, by their places. The tokens themselves are not kept. */
final class FollowedTokens<T> {
    private final Map<NamespacedName, T> held = new ConcurrentHashMap<>();
    private final Function<JsonNode, T> read;
    private final BiFunction<NamespacedName, T, NamespacedName> work;

    /** What is read of a Secret, and what is to be looked at when it is new or changed, by its place and by what was read. */
    FollowedTokens(Function<JsonNode, T> read, BiFunction<NamespacedName, T, NamespacedName> work) {
        this.read = read;
        this.work = work;
    }

    Map<NamespacedName, T> held() {
        return held;
    }

    /** The watch that fills it, to be started and closed. */
    ListWatch by(ApiTransport transport, Clock clock, WorkQueue<NamespacedName> queue) {
        return new ListWatch(
                transport,
                new GroupVersion("", "v1"),
                "secrets",
                Map.of("fieldSelector", "type=" + LegacyToken.TYPE),
                clock,
                new Follower(queue));
    }

    private static NamespacedName place(JsonNode secret) {
        return NamespacedName.of(
                secret.at("/metadata/namespace").asText(),
                secret.at("/metadata/name").asText());
    }

    private final class Follower implements ListWatch.Listener {
        private final WorkQueue<NamespacedName> queue;

        Follower(WorkQueue<NamespacedName> queue) {
            this.queue = queue;
        }

        @Override
        public String listed(byte[] list) {
            JsonNode decoded = Json.decodeObject(list);
            held.clear();
            decoded.path("items").forEach(this::keep);
            return decoded.at("/metadata/resourceVersion").asText();
        }

        @Override
        public void event(String type, byte[] object) {
            JsonNode secret = Json.decodeObject(object);
            if (type.equals("DELETED")) {
                held.remove(place(secret));
            } else {
                keep(secret);
            }
        }

        private void keep(JsonNode secret) {
            T token = read.apply(secret);
            held.put(place(secret), token);
            queue.add(work.apply(place(secret), token));
        }
    }
}
