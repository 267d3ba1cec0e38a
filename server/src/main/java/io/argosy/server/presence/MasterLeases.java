package io.argosy.server.presence;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.server.cache.StoreCache;
import io.argosy.store.Entry;
import io.argosy.store.ListOptions;
import io.argosy.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The addresses of all API servers on one store that live, kept where and as kube-apiserver keeps them, so that both know of one another. An
 * address that is not renewed lapses.
 */
public final class MasterLeases {
    /** Below it every server has its key. */
    public static final String ROOT = StoreCache.ROOT + "masterleases/";

    private static final Duration LIFE = Duration.ofSeconds(15);

    private final Store store;

    MasterLeases(Store store) {
        this.store = store;
    }

    List<String> list() {
        List<String> addresses = new ArrayList<>();
        for (Entry entry : store.list(ROOT, ListOptions.ALL).entries()) {
            JsonNode address = Json.decodeObject(entry.value()).at("/subsets/0/addresses/0/ip");
            if (!address.asText().isEmpty()) {
                addresses.add(address.asText());
            }
        }
        return addresses;
    }

    void renew(String address) {
        ObjectNode lease = Json.object().put("kind", "Endpoints").put("apiVersion", "v1");
        lease.putObject("metadata");
        lease.putArray("subsets").addObject().putArray("addresses").addObject().put("ip", address);
        store.putFor(LIFE, ROOT + address, Json.encode(lease), Store.ANY);
    }

    void remove(String address) {
        store.delete(ROOT + address, Store.ANY);
    }
}
