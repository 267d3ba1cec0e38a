package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.ApiException;
import io.argosy.server.registry.Reservation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The address and node ports of one service on their way from its former state to its next: taken first, given back when the write is decided. */
final class ServiceClaims implements Reservation {
    static final String NONE = "None";
    static final String HEALTH_CHECK = "healthCheckNodePort";

    private final ServiceAddresses addresses;
    private final NodePorts nodePorts;
    private final String service;
    private final List<String> takenAddresses = new ArrayList<>();
    private final List<Integer> takenPorts = new ArrayList<>();
    private final List<String> unusedAddresses = new ArrayList<>();
    private final List<Integer> unusedPorts = new ArrayList<>();

    private ServiceClaims(ServiceAddresses addresses, NodePorts nodePorts, String service) {
        this.addresses = addresses;
        this.nodePorts = nodePorts;
        this.service = service;
    }

    static ServiceClaims take(ServiceAddresses addresses, NodePorts nodePorts, ObjectNode service, JsonNode was) {
        String name = service.path("metadata").path("name").asText();
        ServiceClaims claims = new ServiceClaims(addresses, nodePorts, name);
        ObjectNode spec = (ObjectNode) service.get("spec");
        try {
            claims.address(spec, was);
            claims.ports(spec, was);
            claims.healthCheck(spec, was);
        } catch (ApiException refused) {
            claims.cancel();
            throw refused;
        }
        return claims;
    }

    /** What a service that is gone held. */
    static void release(ServiceAddresses addresses, NodePorts nodePorts, JsonNode spec) {
        String address = address(spec);
        if (!address.isEmpty()) {
            addresses.free(address);
        }
        ports(spec).forEach(nodePorts::free);
        nodePorts.free(healthCheckPort(spec));
    }

    private void address(ObjectNode spec, JsonNode was) {
        String held = address(was);
        boolean had = !was.path("clusterIP").asText("").isEmpty() && !isExternal(was);
        if (!isExternal(spec)) {
            String wanted = spec.path("clusterIP").asText("");
            String given = wanted;
            if (wanted.isEmpty()) {
                given = addresses.next();
                takenAddresses.add(given);
            } else if (!wanted.equals(NONE) && !had) {
                given = addresses.take(wanted, service);
                takenAddresses.add(given);
            }
            spec.put("clusterIP", given);
            if (!spec.path("clusterIPs").path(0).asText().equals(given)) {
                spec.putArray("clusterIPs").add(given);
            }
        }
        if (!held.isEmpty() && !held.equals(address(spec))) {
            unusedAddresses.add(held);
        }
    }

    private void ports(ObjectNode spec, JsonNode was) {
        Set<Integer> held = ports(was);
        if (mayHaveNodePorts(spec)) {
            boolean given = !spec.path("type").asText().equals("LoadBalancer")
                    || spec.path("allocateLoadBalancerNodePorts").asBoolean(true);
            List<ObjectNode> ports = objects(spec, "ports");
            for (int i = 0; i < ports.size(); i++) {
                int wanted = ports.get(i).path("nodePort").asInt();
                if (!held.contains(wanted) && (wanted != 0 || given)) {
                    int taken = nodePorts.take(wanted, service, "spec.ports[" + i + "].nodePort");
                    takenPorts.add(taken);
                    ports.get(i).put("nodePort", taken);
                }
            }
        }
        held.removeAll(ports(spec));
        unusedPorts.addAll(held);
    }

    /** One that is held stays the same as long as it is needed: whoever wants another is refused later. */
    private void healthCheck(ObjectNode spec, JsonNode was) {
        int held = healthCheckPort(was);
        if (needsHealthCheck(spec) && held == 0) {
            int taken = nodePorts.take(spec.path(HEALTH_CHECK).asInt(), service, "spec." + HEALTH_CHECK);
            takenPorts.add(taken);
            spec.put(HEALTH_CHECK, taken);
        }
        if (held != 0 && held != healthCheckPort(spec)) {
            unusedPorts.add(held);
        }
    }

    @Override
    public void commit() {
        unusedAddresses.forEach(addresses::free);
        unusedPorts.forEach(nodePorts::free);
    }

    @Override
    public void cancel() {
        takenAddresses.forEach(addresses::free);
        takenPorts.forEach(nodePorts::free);
    }

    static boolean isExternal(JsonNode spec) {
        return spec.path("type").asText().equals("ExternalName");
    }

    static boolean mayHaveNodePorts(JsonNode spec) {
        String type = spec.path("type").asText();
        return type.equals("NodePort") || type.equals("LoadBalancer");
    }

    /** Whether a balancer outside must ask the nodes which of them have endpoints. */
    static boolean needsHealthCheck(JsonNode spec) {
        return spec.path("type").asText().equals("LoadBalancer")
                && spec.path("externalTrafficPolicy").asText().equals("Local");
    }

    private static int healthCheckPort(JsonNode spec) {
        return needsHealthCheck(spec) ? spec.path(HEALTH_CHECK).asInt() : 0;
    }

    /** The address a service holds; empty if none. */
    private static String address(JsonNode spec) {
        String address = isExternal(spec) ? "" : spec.path("clusterIP").asText("");
        return address.equals(NONE) ? "" : address;
    }

    private static Set<Integer> ports(JsonNode spec) {
        Set<Integer> ports = new HashSet<>();
        if (mayHaveNodePorts(spec)) {
            spec.path("ports").forEach(port -> ports.add(port.path("nodePort").asInt()));
            ports.remove(0);
        }
        return ports;
    }
}
