package io.argosy.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.server.authn.User;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.cache.StoreCache;
import io.argosy.server.kinds.ServiceLedger;
import io.argosy.server.registry.DeleteOptions;
import io.argosy.server.registry.Registry;
import io.argosy.server.registry.ResourceStore;
import io.argosy.server.registry.WriteOptions;
import io.argosy.store.Result;
import io.argosy.store.Store;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

/**
 * Addresses as IPAddress objects, which everybody can read; node ports as keys of our own, and only where other servers write to the same store:
 * they are needed from the moment a port is chosen until its Service can be seen by all.
 */
final class StoredLedger implements ServiceLedger {
    static final String GROUP = "networking.k8s.io";
    static final String ADDRESSES = "ipaddresses";
    private static final String PORTS = StoreCache.ROOT + "argosy.io/nodeports/";

    /** Who has not written its Service after this long has ended before. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final WriteOptions WRITING = new WriteOptions(
            new User("system:apiserver", List.of(User.MASTERS, User.AUTHENTICATED)),
            false,
            warning -> {},
            new WriteOptions.Writer("kube-apiserver", GROUP + "/v1", false, false));

    private final Supplier<Registry> registry;
    private final Store store;
    private final Clock clock;

    StoredLedger(Supplier<Registry> registry, Store store, Clock clock) {
        this.registry = registry;
        this.store = store;
        this.clock = clock;
    }

    private ResourceStore addresses() {
        return registry.get().store(GROUP, ADDRESSES);
    }

    private ResourceStore services() {
        return registry.get().store("", "services");
    }

    @Override
    public Entry enter(String address, String namespace, String service) {
        try {
            addresses().create("", object(address, namespace, service), WRITING);
            return Entry.MADE;
        } catch (ApiException refused) {
            if (!refused.is(Reason.AlreadyExists)) {
                throw refused;
            }
        }
        addresses().awaitNewest();
        CachedObject there = addresses().find("", address);
        boolean ours = there != null
                && isOf(Json.decodeObject(there.json()).at("/spec/parentRef"), namespace, service)
                && services().find(namespace, service) == null;
        return ours ? Entry.FOUND : Entry.TAKEN;
    }

    private static ObjectNode object(String address, String namespace, String service) {
        ObjectNode object = Json.object().put("kind", "IPAddress").put("apiVersion", GROUP + "/v1");
        ObjectNode metadata = object.putObject("metadata").put("name", address);
        metadata.putObject("labels")
                .put("ipaddress.kubernetes.io/ip-family", address.indexOf(':') < 0 ? "IPv4" : "IPv6")
                .put("ipaddress.kubernetes.io/managed-by", "ipallocator.k8s.io");
        object.putObject("spec")
                .putObject("parentRef")
                .put("group", "")
                .put("resource", "services")
                .put("namespace", namespace)
                .put("name", service);
        return object;
    }

    private static boolean isOf(JsonNode parent, String namespace, String service) {
        return parent.path("group").asText("").isEmpty()
                && parent.path("resource").asText().equals("services")
                && parent.path("namespace").asText().equals(namespace)
                && parent.path("name").asText().equals(service);
    }

    @Override
    public void strike(String address, String namespace, String service) {
        CachedObject there = addresses().find("", address);
        if (there == null) {
            return;
        }
        ObjectNode object = Json.decodeObject(there.json());
        if (isOf(object.at("/spec/parentRef"), namespace, service)) {
            String uid = object.at("/metadata/uid").asText();
            try {
                addresses().delete("", address, new DeleteOptions(null, null, uid, null, false), WRITING);
            } catch (ApiException gone) {
                if (!gone.is(Reason.NotFound) && !gone.is(Reason.Conflict)) {
                    throw gone;
                }
            }
        }
    }

    @Override
    public Entry enter(int nodePort, String namespace, String service) {
        if (!store.shared()) {
            return Entry.MADE;
        }
        byte[] line = Json.encode(Json.object()
                .put("resource", "services")
                .put("namespace", namespace)
                .put("name", service)
                .put("since", clock.now().toString()));
        if (!(store.put(PORTS + nodePort, line, Store.ABSENT) instanceof Result.Conflict conflict)) {
            return Entry.MADE;
        }
        io.argosy.store.Entry there = conflict.current();
        boolean stale = there != null && isStale(nodePort, there);
        return stale && store.put(PORTS + nodePort, line, there.modRevision()) instanceof Result.Committed
                ? Entry.MADE
                : Entry.TAKEN;
    }

    /** Whether no Service came of it. */
    private boolean isStale(int nodePort, io.argosy.store.Entry there) {
        JsonNode line = decoded(there);
        if (clock.now().isBefore(Instant.parse(line.path("since").asText()).plus(PATIENCE))) {
            return false;
        }
        services().awaitNewest();
        CachedObject service = services()
                .find(line.path("namespace").asText(), line.path("name").asText());
        return service == null
                || !Json.decodeObject(service.json())
                        .path("spec")
                        .findValuesAsText("nodePort")
                        .contains(nodePort + "");
    }

    private static JsonNode decoded(io.argosy.store.Entry entry) {
        try {
            return Json.decode(entry.value());
        } catch (IOException e) {
            throw new IllegalStateException(entry.key() + " cannot be read", e);
        }
    }

    @Override
    public void strike(int nodePort, String namespace, String service) {
        if (store.shared()) {
            store.get(PORTS + nodePort)
                    .filter(there -> isOf(decoded(there), namespace, service))
                    .ifPresent(there -> store.delete(there.key(), there.modRevision()));
        }
    }
}
