package io.argosy.server;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.kinds.NodePorts;
import io.argosy.server.kinds.ServiceAddresses;
import io.argosy.server.registry.Registry;
import io.argosy.server.registry.ResourceStore;

/** Finds out from the stored services which addresses and ports are taken: once, or again and again where other servers take some too. */
final class Reservations {
    private Reservations() {}

    static void restore(Registry registry, ServiceAddresses addresses, NodePorts nodePorts) {
        ResourceStore services = registry.store("", "services");
        if (services.shared()) {
            services.cache().follow(change -> {
                if (change.deleted()) {
                    services.strategy()
                            .released(Json.decodeObject(change.current().json()));
                } else {
                    occupy(change.current(), addresses, nodePorts);
                }
            });
            return;
        }
        for (CachedObject service : services.snapshot("").objects()) {
            occupy(service, addresses, nodePorts);
        }
    }

    private static void occupy(CachedObject service, ServiceAddresses addresses, NodePorts nodePorts) {
        JsonNode spec = Json.decodeObject(service.json()).path("spec");
        spec.path("clusterIPs").forEach(address -> addresses.occupy(address.asText()));
        spec.path("ports")
                .forEach(port -> nodePorts.occupy(port.path("nodePort").asInt()));
        nodePorts.occupy(spec.path("healthCheckNodePort").asInt());
    }
}
