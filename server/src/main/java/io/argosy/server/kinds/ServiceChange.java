package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;
import static io.argosy.server.kinds.Trees.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a Service keeps and what it loses when it changes: what the server gave stays where the client says nothing of it, and goes where the new
 * type has no use for it. What the client changed itself is left for validation to judge.
 */
final class ServiceChange {
    private ServiceChange() {}

    static void settle(ObjectNode service, ObjectNode before) {
        ObjectNode spec = child(service, "spec");
        JsonNode was = before.path("spec");
        if (!ServiceClaims.isExternal(spec)) {
            keepAddresses(spec, was);
        } else if (!ServiceClaims.isExternal(was)) {
            dropAddresses(spec, was);
        }
        if (hasNodePorts(spec) && hasNodePorts(was)) {
            keepNodePorts(spec, was);
        }
        if (ServiceClaims.mayHaveNodePorts(was) && !ServiceClaims.mayHaveNodePorts(spec)) {
            dropNodePorts(spec, was);
        }
        healthCheckPort(spec, was);
        if (isBalanced(was) && !isBalanced(spec)) {
            dropUnchanged(spec, was, "allocateLoadBalancerNodePorts");
            dropUnchanged(spec, was, "loadBalancerClass");
        }
        if (ServiceValidation.isOpen(was) && !ServiceValidation.isOpen(spec)) {
            dropUnchanged(spec, was, "externalTrafficPolicy");
        }
        if (!isBalanced(spec) && before.at("/status/loadBalancer").has("ingress")) {
            child(child(service, "status"), "loadBalancer").remove("ingress");
        }
    }

    private static boolean isBalanced(JsonNode spec) {
        return spec.path("type").asText().equals("LoadBalancer");
    }

    private static boolean hasNodePorts(JsonNode spec) {
        return ServiceClaims.mayHaveNodePorts(spec)
                && (!isBalanced(spec)
                        || spec.path("allocateLoadBalancerNodePorts").asBoolean(true));
    }

    private static void dropUnchanged(ObjectNode spec, JsonNode was, String field) {
        if (spec.path(field).equals(was.path(field))) {
            spec.remove(field);
        }
    }

    /** Most who name an address name only the one. */
    static void listAddress(ObjectNode spec) {
        String first = spec.path("clusterIP").asText("");
        if (!first.isEmpty() && spec.path(ServiceFamilies.ADDRESSES).isEmpty()) {
            spec.putArray(ServiceFamilies.ADDRESSES).add(first);
        }
    }

    /** What is not said about addresses stays as it was; a first address that is changed changes the list. */
    private static void keepAddresses(ObjectNode spec, JsonNode was) {
        String before = was.path("clusterIP").asText("");
        String now = spec.path("clusterIP").asText("");
        boolean sameList = spec.path(ServiceFamilies.ADDRESSES).equals(was.path(ServiceFamilies.ADDRESSES));
        if (!before.isEmpty() && !ServiceClaims.isExternal(was)) {
            if (now.isEmpty()) {
                spec.put("clusterIP", before);
            } else if (!now.equals(before) && sameList) {
                spec.putArray(ServiceFamilies.ADDRESSES).add(now);
            }
            if (spec.path(ServiceFamilies.ADDRESSES).isEmpty()
                    && spec.path("clusterIP").asText().equals(before)) {
                spec.set(
                        ServiceFamilies.ADDRESSES,
                        was.path(ServiceFamilies.ADDRESSES).deepCopy());
            }
            if (spec.path(ServiceFamilies.FAMILIES).isEmpty() && was.has(ServiceFamilies.FAMILIES)) {
                spec.set(
                        ServiceFamilies.FAMILIES,
                        was.get(ServiceFamilies.FAMILIES).deepCopy());
            }
        }
        listAddress(spec);
    }

    private static void dropAddresses(ObjectNode spec, JsonNode was) {
        boolean same = spec.path("clusterIP").equals(was.path("clusterIP"))
                && spec.path(ServiceFamilies.ADDRESSES).equals(was.path(ServiceFamilies.ADDRESSES));
        if (same) {
            spec.remove(List.of("clusterIP", ServiceFamilies.ADDRESSES));
        }
        dropUnchanged(spec, was, ServiceFamilies.FAMILIES);
        dropUnchanged(spec, was, ServiceFamilies.POLICY);
    }

    /** A port is known by its name, whatever else of it changed; what is used elsewhere in the Service is not given twice. */
    private static void keepNodePorts(ObjectNode spec, JsonNode was) {
        Set<Integer> used = nodePorts(spec);
        Map<String, Integer> named = new HashMap<>();
        for (JsonNode port : was.path("ports")) {
            named.put(
                    port.path("name").asText(""),
                    port.path(ServiceClaims.NODE_PORT).asInt());
        }
        for (ObjectNode port : objects(spec, "ports")) {
            int held = named.getOrDefault(port.path("name").asText(""), 0);
            if (port.path(ServiceClaims.NODE_PORT).asInt() == 0 && held != 0 && !used.contains(held)) {
                port.put(ServiceClaims.NODE_PORT, held);
            }
        }
    }

    private static void dropNodePorts(ObjectNode spec, JsonNode was) {
        if (nodePorts(was).containsAll(nodePorts(spec))) {
            objects(spec, "ports").forEach(port -> port.remove(ServiceClaims.NODE_PORT));
        }
    }

    private static Set<Integer> nodePorts(JsonNode spec) {
        Set<Integer> ports = new HashSet<>();
        spec.path("ports")
                .forEach(port -> ports.add(port.path(ServiceClaims.NODE_PORT).asInt()));
        ports.remove(0);
        return ports;
    }

    /** Kept while it is needed; one that was given, and that nobody changed, goes when it is not needed any more. */
    private static void healthCheckPort(ObjectNode spec, JsonNode was) {
        JsonNode held = was.path(ServiceClaims.HEALTH_CHECK);
        if (!ServiceClaims.needsHealthCheck(was) || held.isMissingNode()) {
            return;
        }
        if (!ServiceClaims.needsHealthCheck(spec)) {
            dropUnchanged(spec, was, ServiceClaims.HEALTH_CHECK);
        } else if (spec.path(ServiceClaims.HEALTH_CHECK).asInt() == 0) {
            spec.set(ServiceClaims.HEALTH_CHECK, held);
        }
    }
}
