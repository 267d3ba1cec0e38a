package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.FieldErrors;
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
            claims.addresses(spec, was);
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
        addresses(spec).forEach(addresses::free);
        ports(spec).forEach(nodePorts::free);
        nodePorts.free(healthCheckPort(spec));
    }

    private void addresses(ObjectNode spec, JsonNode was) {
        FieldErrors errors = new FieldErrors();
        ServiceFamilies.settle(spec, was, addresses.families(), errors);
        if (!errors.isEmpty()) {
            throw ApiException.invalid("", "Service", service, errors.causes());
        }
        List<String> held = addresses(was);
        if (!isExternal(spec) && !spec.path("clusterIP").asText("").equals(NONE)) {
            List<String> wanted = ServiceFamilies.texts(spec, ServiceFamilies.ADDRESSES);
            List<String> families = ServiceFamilies.texts(spec, ServiceFamilies.FAMILIES);
            ArrayNode given = spec.putArray(ServiceFamilies.ADDRESSES);
            boolean wasHeadless = was.path("clusterIP").asText("").equals(NONE);
            for (int i = 0; i < families.size(); i++) {
                given.add(
                        i < wanted.size() && (i < held.size() || wasHeadless)
                                ? wanted.get(i) // one that is changed is refused later
                                : taken(i < wanted.size() ? wanted.get(i) : "", families.get(i)));
            }
            spec.put("clusterIP", given.path(0).asText());
        }
        held.removeAll(addresses(spec));
        unusedAddresses.addAll(held);
    }

    private String taken(String wanted, String family) {
        String address = wanted.isEmpty() ? addresses.next(family) : addresses.take(wanted, service);
        takenAddresses.add(address);
        return address;
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

    /** The addresses a service holds. */
    private static List<String> addresses(JsonNode spec) {
        List<String> held =
                isExternal(spec) ? new ArrayList<>() : ServiceFamilies.texts(spec, ServiceFamilies.ADDRESSES);
        held.remove(NONE);
        return held;
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
