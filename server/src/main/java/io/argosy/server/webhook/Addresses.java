package io.argosy.server.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.server.proxy.Lookups;
import io.argosy.server.proxy.ServiceEndpoints;
import io.argosy.server.registry.Registry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Supplier;

/** Finds the address at which a webhook is to be asked. */
final class Addresses {
    private final ServiceEndpoints services;
    private final Lookups lookups;

    Addresses(Supplier<Registry> registry, Lookups lookups) {
        this.services = new ServiceEndpoints(registry);
        this.lookups = lookups;
    }

    /** Looking up a name takes no longer than that. */
    Target.Peer find(Target target, long millis) throws CallException {
        ServiceEndpoints.Resolver resolver = lookups.within(millis);
        try {
            InetSocketAddress address = target.isService()
                    ? ofService(target.service(), target.port(), resolver)
                    : resolver.find(target.host(), target.port());
            return new Target.Peer(address, target.host(), target.port(), target.authority());
        } catch (IOException nowhere) {
            throw new CallException(nowhere.getMessage());
        }
    }

    private InetSocketAddress ofService(JsonNode reference, int port, ServiceEndpoints.Resolver resolver)
            throws IOException {
        return services.find(
                reference.path("namespace").asText(), reference.path("name").asText(), port, resolver);
    }
}
