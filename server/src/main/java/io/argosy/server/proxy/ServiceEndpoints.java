package io.argosy.server.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.Registry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/** Finds the address behind a service in what is stored, so that neither DNS nor a service proxy need be there. */
public final class ServiceEndpoints {
    private static final String OF_SERVICE = "kubernetes.io/service-name";

    private final Supplier<Registry> registry;

    public ServiceEndpoints(Supplier<Registry> registry) {
        this.registry = registry;
    }

    /** Finds a host that is named from outside. */
    public interface Resolver {
        InetSocketAddress find(String host, int port) throws IOException;
    }

    /** One of the ready endpoints; the exception says in Kubernetes' words why there is none. */
    public InetSocketAddress find(String namespace, String name, int port) throws IOException {
        return find(namespace, name, port, ServiceEndpoints::resolved);
    }

    /** The same, with one's own way to find a service that is only another name. */
    public InetSocketAddress find(String namespace, String name, int port, Resolver resolver) throws IOException {
        CachedObject found = registry.get().store("", "services").find(namespace, name);
        if (found == null) {
            throw new IOException("service \"" + name + "\" not found");
        }
        JsonNode spec = Json.decodeObject(found.json()).path("spec");
        if (spec.path("type").asText().equals("ExternalName")) {
            return resolver.find(spec.path("externalName").asText(), port);
        }
        List<InetSocketAddress> ready = ready(namespace, name, portName(spec, name, port));
        if (ready.isEmpty()) {
            throw new IOException("no endpoints available for service \"" + name + "\"");
        }
        return ready.get(ThreadLocalRandom.current().nextInt(ready.size()));
    }

    private static String portName(JsonNode spec, String service, int port) throws IOException {
        for (JsonNode one : spec.path("ports")) {
            if (one.path("port").asInt() == port) {
                return one.path("name").asText("");
            }
        }
        throw new IOException("no service port " + port + " found for service \"" + service + "\"");
    }

    private List<InetSocketAddress> ready(String namespace, String service, String portName) throws IOException {
        List<InetSocketAddress> ready = new ArrayList<>();
        for (JsonNode slice : slices(namespace, service)) {
            for (JsonNode port : slice.path("ports")) {
                if (port.path("name").asText("").equals(portName)) {
                    addReady(slice, port.path("port").asInt(), ready);
                }
            }
        }
        return ready;
    }

    /** Where the service's endpoints are written down. */
    public List<JsonNode> slices(String namespace, String service) {
        List<JsonNode> slices = new ArrayList<>();
        for (CachedObject candidate : registry.get()
                .store("discovery.k8s.io", "endpointslices")
                .snapshot(namespace)
                .objects()) {
            if (service.equals(candidate.labels().get(OF_SERVICE))) {
                slices.add(Json.decodeObject(candidate.json()));
            }
        }
        return slices;
    }

    private static void addReady(JsonNode slice, int port, List<InetSocketAddress> ready) throws IOException {
        for (JsonNode endpoint : slice.path("endpoints")) {
            if (endpoint.path("conditions").path("ready").asBoolean(true)) {
                for (JsonNode address : endpoint.path("addresses")) {
                    ready.add(resolved(address.asText(), port));
                }
            }
        }
    }

    /** The address of a host that is named from outside. */
    public static InetSocketAddress resolved(String host, int port) throws IOException {
        try {
            return new InetSocketAddress(InetAddress.getByName(host), port);
        } catch (UnknownHostException unknown) {
            throw new IOException("dial tcp: lookup " + host + ": no such host", unknown);
        }
    }
}
