package io.argosy.server;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.cache.Change;
import io.argosy.server.kinds.NodePorts;
import io.argosy.server.kinds.ServiceAddresses;
import io.argosy.server.registry.Registry;
import io.argosy.server.registry.ResourceStore;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * Finds out from what is stored which addresses and ports Services may have, and which are taken: once, or again and again where other servers take
 * some too.
 */
final class Reservations {
    private static final String DEFAULT_RANGE = "kubernetes";

    private final Registry registry;
    private final ServiceAddresses addresses;
    private final NodePorts nodePorts;

    private Reservations(Registry registry, ServiceAddresses addresses, NodePorts nodePorts) {
        this.registry = registry;
        this.addresses = addresses;
        this.nodePorts = nodePorts;
    }

    static void restore(Registry registry, ServiceAddresses addresses, NodePorts nodePorts) {
        Reservations reservations = new Reservations(registry, addresses, nodePorts);
        ResourceStore services = registry.store("", "services");
        if (services.shared()) {
            services.cache()
                    .follow(change -> reservations.services(
                            change.current(),
                            change.deleted() ? addresses::free : addresses::occupy,
                            change.deleted() ? nodePorts::free : nodePorts::occupy));
        } else {
            reservations.occupyAll();
        }
        registry.store(StoredLedger.GROUP, "servicecidrs").cache().follow(reservations::ranges);
    }

    private void occupyAll() {
        for (CachedObject service : registry.store("", "services").snapshot("").objects()) {
            services(service, addresses::occupy, nodePorts::occupy);
        }
    }

    private void services(CachedObject service, Consumer<String> address, IntConsumer port) {
        JsonNode spec = Json.decodeObject(service.json()).path("spec");
        spec.path("clusterIPs").forEach(one -> address.accept(one.asText()));
        spec.path("ports").forEach(one -> port.accept(one.path("nodePort").asInt()));
        port.accept(spec.path("healthCheckNodePort").asInt());
    }

    /** From a range that is ready addresses are given; the first of them all is the one this server was started with. */
    private void ranges(Change change) {
        JsonNode range = Json.decodeObject(change.current().json());
        String name = range.at("/metadata/name").asText();
        if (name.equals(DEFAULT_RANGE)) {
            return;
        }
        if (change.deleted() || range.path("metadata").has("deletionTimestamp") || !isReady(range)) {
            addresses.shrink(name);
        } else {
            List<String> cidrs = new ArrayList<>();
            range.at("/spec/cidrs").forEach(cidr -> cidrs.add(cidr.asText()));
            addresses.extend(name, cidrs);
            occupyAll();
        }
    }

    private static boolean isReady(JsonNode range) {
        for (JsonNode condition : range.at("/status/conditions")) {
            if (condition.path("type").asText().equals("Ready")) {
                return condition.path("status").asText().equals("True");
            }
        }
        return false;
    }
}
