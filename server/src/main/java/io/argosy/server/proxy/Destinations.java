package io.argosy.server.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.proxy.Destination.Named;
import io.argosy.server.registry.Registry;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/** Finds what stands behind the name of a pod, a service or a node. */
public final class Destinations {
    private static final int KUBELET_PORT = 10250;

    private final Registry registry;

    public Destinations(Registry registry) {
        this.registry = registry;
    }

    private ObjectNode get(String resource, String namespace, String name) {
        return Json.decodeObject(
                registry.store("", resource).get(namespace, name).json());
    }

    /** The pod itself, at the port asked for, or else the first that it declares. */
    public Destination pod(String namespace, String text) {
        Named named = Named.parse(text, "pod");
        ObjectNode pod = get("pods", namespace, named.name());
        String port = named.port();
        for (JsonNode container : pod.at("/spec/containers")) {
            if (port.isEmpty()) {
                port = container.at("/ports/0/containerPort").asText("");
            }
        }
        return Destination.of(named.secure(), pod.at("/status/podIP").asText(""), port);
    }

    /** One of the ready pods of the service; the port is its name or number, and can be left out where it has no name. */
    public Destination service(String namespace, String text) {
        Named named = Named.parse(text, "service");
        ObjectNode service = get("services", namespace, named.name());
        String port = portName(service, named);
        List<Destination> found = new ArrayList<>();
        for (CachedObject slice : registry.store("discovery.k8s.io", "endpointslices")
                .snapshot(namespace)
                .objects()) {
            if (Objects.equals(slice.labels().get("kubernetes.io/service-name"), named.name())) {
                collect(namespace, Json.decodeObject(slice.json()), named.secure(), port, found);
            }
        }
        if (found.isEmpty()) {
            throw new ApiException(
                    Reason.ServiceUnavailable, "no endpoints available for service \"" + named.name() + "\"");
        }
        return found.get(ThreadLocalRandom.current().nextInt(found.size()));
    }

    private static String portName(ObjectNode service, Named named) {
        if (!named.port().matches("[0-9]+")) {
            return named.port();
        }
        for (JsonNode port : service.at("/spec/ports")) {
            if (port.path("port").asText().equals(named.port())) {
                return port.path("name").asText("");
            }
        }
        throw new ApiException(
                Reason.ServiceUnavailable,
                "no service port " + named.port() + " found for service \"" + named.name() + "\"");
    }

    private void collect(String namespace, ObjectNode slice, boolean secure, String port, List<Destination> found) {
        for (JsonNode offered : slice.path("ports")) {
            if (!offered.path("name").asText("").equals(port)) {
                continue;
            }
            for (JsonNode endpoint : slice.path("endpoints")) {
                String address = endpoint.at("/addresses/0").asText("");
                if (endpoint.at("/conditions/ready").asBoolean(true) && isPod(namespace, endpoint, address)) {
                    found.add(
                            Destination.of(secure, address, offered.path("port").asText()));
                }
            }
        }
    }

    /** Who may write endpoints must not thereby reach any machine: only addresses that pods have are gone to. */
    private boolean isPod(String namespace, JsonNode endpoint, String address) {
        JsonNode target = endpoint.path("targetRef");
        if (!target.path("kind").asText().equals("Pod") || !Destination.isProxyable(address)) {
            return false;
        }
        CachedObject found =
                registry.store("", "pods").find(namespace, target.path("name").asText());
        if (found == null) {
            return false;
        }
        ObjectNode pod = Json.decodeObject(found.json());
        boolean has = pod.at("/status/podIP").asText("").equals(address);
        for (JsonNode other : pod.at("/status/podIPs")) {
            has |= other.path("ip").asText("").equals(address);
        }
        return has;
    }

    /** A node's own name and, if a port other than its agent's is asked for, where that is. */
    public record OfNode(String name, Optional<Destination> port) {}

    public OfNode node(String text) {
        Named named = Named.parse(text, "node");
        ObjectNode node = get("nodes", "", named.name());
        int told = node.at("/status/daemonEndpoints/kubeletEndpoint/Port").asInt();
        int agent = told > 0 ? told : KUBELET_PORT;
        if (named.port().isEmpty() || named.port().equals(Integer.toString(agent))) {
            return new OfNode(named.name(), Optional.empty());
        }
        String address = "";
        for (String type : List.of("ExternalIP", "InternalIP")) {
            for (JsonNode one : node.at("/status/addresses")) {
                if (one.path("type").asText().equals(type)) {
                    address = one.path("address").asText();
                }
            }
        }
        return new OfNode(named.name(), Optional.of(Destination.of(named.secure(), address, named.port())));
    }
}
