package io.argosy.server.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.Registry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/** Finds the address behind a webhook's service in what is stored, so that neither DNS nor a service proxy need be there. */
final class Addresses {
    private static final String OF_SERVICE = "kubernetes.io/service-name";

    private final Supplier<Registry> registry;

    Addresses(Supplier<Registry> registry) {
        this.registry = registry;
    }

    Target.Peer find(Target target) throws CallException {
        InetSocketAddress address = target.isService()
                ? ofService(target.service(), target.port())
                : resolved(target.host(), target.port());
        return new Target.Peer(address, target.host(), target.port(), target.authority());
    }

    private InetSocketAddress ofService(JsonNode reference, int port) throws CallException {
        String namespace = reference.path("namespace").asText();
        String name = reference.path("name").asText();
        CachedObject found = registry.get().store("", "services").find(namespace, name);
        if (found == null) {
            throw new CallException("service \"" + name + "\" not found");
        }
        JsonNode spec = Json.decodeObject(found.json()).path("spec");
        if (spec.path("type").asText().equals("ExternalName")) {
            return resolved(spec.path("externalName").asText(), port);
        }
        List<InetSocketAddress> ready = endpoints(namespace, name, portName(spec, name, port));
        if (ready.isEmpty()) {
            throw new CallException("no endpoints available for service \"" + name + "\"");
        }
        return ready.get(ThreadLocalRandom.current().nextInt(ready.size()));
    }

    private static String portName(JsonNode spec, String service, int port) throws CallException {
        for (JsonNode one : spec.path("ports")) {
            if (one.path("port").asInt() == port) {
                return one.path("name").asText("");
            }
        }
        throw new CallException("no service port " + port + " found for service \"" + service + "\"");
    }

    private List<InetSocketAddress> endpoints(String namespace, String service, String portName) throws CallException {
        List<InetSocketAddress> ready = new ArrayList<>();
        for (CachedObject candidate : registry.get()
                .store("discovery.k8s.io", "endpointslices")
                .snapshot(namespace)
                .objects()) {
            if (!service.equals(candidate.labels().get(OF_SERVICE))) {
                continue;
            }
            JsonNode slice = Json.decodeObject(candidate.json());
            for (JsonNode port : slice.path("ports")) {
                if (port.path("name").asText("").equals(portName)) {
                    addReady(slice, port.path("port").asInt(), ready);
                }
            }
        }
        return ready;
    }

    private static void addReady(JsonNode slice, int port, List<InetSocketAddress> ready) throws CallException {
        for (JsonNode endpoint : slice.path("endpoints")) {
            if (endpoint.path("conditions").path("ready").asBoolean(true)) {
                for (JsonNode address : endpoint.path("addresses")) {
                    ready.add(resolved(address.asText(), port));
                }
            }
        }
    }

    private static InetSocketAddress resolved(String host, int port) throws CallException {
        try {
            return new InetSocketAddress(InetAddress.getByName(host), port);
        } catch (UnknownHostException unknown) {
            throw new CallException("dial tcp: lookup " + host + ": no such host");
        }
    }
}
