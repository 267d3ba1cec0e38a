package io.argosy.server.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.server.proxy.ServiceEndpoints;
import io.argosy.server.registry.Registry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Supplier;

/** Finds the address at which a webhook is to be asked. */
final class Addresses {
    private final ServiceEndpoints services;

    Addresses(Supplier<Registry> registry) {
        this.services = new ServiceEndpoints(registry);
    }

    Target.Peer find(Target target) throws CallException {
        try {
            InetSocketAddress address = target.isService()
                    ? ofService(target.service(), target.port())
                    : ServiceEndpoints.resolved(target.host(), target.port());
            return new Target.Peer(address, target.host(), target.port(), target.authority());
        } catch (IOException nowhere) {
            throw new CallException(nowhere.getMessage());
        }
    }

    private InetSocketAddress ofService(JsonNode reference, int port) throws IOException {
        return services.find(
                reference.path("namespace").asText(), reference.path("name").asText(), port);
    }
}
