package io.argosy.server;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.kinds.NodePorts;
import io.argosy.server.kinds.ServiceAddresses;
import io.argosy.server.registry.Registry;

/** Finds out from the stored services which addresses and ports are taken. */
final class Reservations {
    private Reservations() {}

    static void restore(Registry registry, ServiceAddresses addresses, NodePorts nodePorts) {
        for (CachedObject service : registry.store("", "services").snapshot("").objects()) {
            JsonNode spec = Json.decodeObject(service.json()).path("spec");
            addresses.occupy(spec.path("clusterIP").asText(""));
            spec.path("ports")
                    .forEach(port -> nodePorts.occupy(port.path("nodePort").asInt()));
        }
    }
}
