package io.argosy.server.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.cache.Change;
import io.argosy.server.registry.ResourceStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** All webhooks of one sort, as the configurations stand: by the names of these, and in each as written. Who asks when there are none pays for one field. */
final class WebhookSet {
    private final TreeMap<String, CachedObject> configurations = new TreeMap<>();

    /** What was made of a configuration at a revision. */
    private record Made(long revision, List<Webhook> webhooks) {}

    private Map<String, Made> made = new HashMap<>();

    /** Null when a configuration has changed since. */
    private volatile List<Webhook> webhooks = List.of();

    void follow(ResourceStore store) {
        store.cache().follow(this::take);
    }

    private synchronized void take(Change change) {
        CachedObject current = change.current();
        if (change.deleted()) {
            configurations.remove(current.name());
        } else {
            configurations.put(current.name(), current);
        }
        webhooks = configurations.isEmpty() ? List.of() : null;
    }

    List<Webhook> all() {
        List<Webhook> known = webhooks;
        return known == null ? read() : known;
    }

    private synchronized List<Webhook> read() {
        if (webhooks == null) {
            List<Webhook> all = new ArrayList<>();
            Map<String, Made> now = new HashMap<>();
            for (CachedObject configuration : configurations.values()) {
                Made known = made.get(configuration.name());
                Made one = known != null && known.revision() == configuration.revision()
                        ? known
                        : new Made(configuration.revision(), read(configuration));
                now.put(configuration.name(), one);
                all.addAll(one.webhooks());
            }
            made = now;
            webhooks = List.copyOf(all);
        }
        return webhooks;
    }

    private static List<Webhook> read(CachedObject configuration) {
        List<Webhook> webhooks = new ArrayList<>();
        JsonNode sources = Json.decodeObject(configuration.json()).path("webhooks");
        for (int i = 0; i < sources.size(); i++) {
            webhooks.add(new Webhook(configuration.name(), i, sources.get(i)));
        }
        return webhooks;
    }
}
