package io.argosy.server.presence;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.net.Ip;
import java.util.ArrayList;
import java.util.List;

/**
 * Where the servers behind a Service without selector stand, which are no pods: as Endpoints, and as the EndpointSlice that would be made of
 * them.
 */
public record ListedEndpoints(String namespace, String name, List<String> addresses, List<Port> ports) {
    private static final String SKIP_MIRROR = "endpointslice.kubernetes.io/skip-mirror";
    private static final String SERVICE_NAME = "kubernetes.io/service-name";

    /** A port of all the servers. */
    public record Port(String name, String protocol, int port) {
        private ObjectNode json() {
            return Json.object().put("name", name).put("protocol", protocol).put("port", port);
        }
    }

    public ListedEndpoints {
        addresses = addresses.stream().sorted().distinct().toList();
        ports = List.copyOf(ports);
    }

    /** The servers of which these are left; the ports that are listed already stay, since servers must not quarrel over them. */
    static ListedEndpoints after(JsonNode endpoints, ListedEndpoints wanted) {
        JsonNode subsets = endpoints.path("subsets");
        if (subsets.size() != 1) {
            return wanted;
        }
        List<Port> listed = new ArrayList<>();
        for (JsonNode port : subsets.path(0).path("ports")) {
            listed.add(new Port(
                    port.path("name").asText(),
                    port.path("protocol").asText(),
                    port.path("port").asInt()));
        }
        return new ListedEndpoints(
                wanted.namespace, wanted.name, wanted.addresses, listed.isEmpty() ? wanted.ports : listed);
    }

    /** What the Endpoints object is to be; null if the current one, which may be missing, is so already. */
    ObjectNode endpoints(JsonNode current) {
        ObjectNode wanted = current.isObject() ? current.deepCopy() : object("v1", "Endpoints");
        wanted.withObject("/metadata/labels").put(SKIP_MIRROR, "true");
        wanted.remove("subsets");
        if (!addresses.isEmpty()) {
            ObjectNode subset = wanted.putArray("subsets").addObject();
            ArrayNode listed = subset.putArray("addresses");
            addresses.forEach(address -> listed.addObject().put("ip", address));
            subset.set("ports", portList());
        }
        return wanted.equals(current) ? null : wanted;
    }

    /** What the EndpointSlice is to be; null if the current one, which may be missing, is so already. */
    ObjectNode slice(JsonNode current) {
        ObjectNode wanted = current.isObject() ? current.deepCopy() : object("discovery.k8s.io/v1", "EndpointSlice");
        wanted.withObject("/metadata/labels").put(SERVICE_NAME, name);
        wanted.put("addressType", family());
        ArrayNode endpoints = wanted.putArray("endpoints");
        for (String address : addresses) {
            if (family(address).equals(family())) {
                ObjectNode endpoint = endpoints.addObject();
                endpoint.putArray("addresses").add(Ip.parse(address).toString());
                endpoint.putObject("conditions").put("ready", true);
            }
        }
        if (endpoints.isEmpty()) {
            wanted.putNull("ports");
            if (current.path("endpoints").isNull()) {
                wanted.putNull("endpoints");
            }
        } else {
            wanted.set("ports", portList());
        }
        return wanted.equals(current) ? null : wanted;
    }

    /** A slice holds addresses of one family: of the sixth version where all are. */
    String family() {
        boolean allNew = !addresses.isEmpty() && addresses.stream().allMatch(address -> address.indexOf(':') >= 0);
        return allNew ? "IPv6" : "IPv4";
    }

    private static String family(String address) {
        return address.indexOf(':') >= 0 ? "IPv6" : "IPv4";
    }

    private ObjectNode object(String version, String kind) {
        ObjectNode object = Json.object().put("kind", kind).put("apiVersion", version);
        object.putObject("metadata").put("name", name).put("namespace", namespace);
        return object;
    }

    private ArrayNode portList() {
        ArrayNode list = Json.object().putArray("ports");
        ports.forEach(port -> list.add(port.json()));
        return list;
    }
}
