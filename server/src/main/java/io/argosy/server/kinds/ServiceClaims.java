package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Reservation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The addresses and node ports of one Service on their way from its former state to its next: taken here first, then entered in the ledger that
 * all servers share, and given back when the write is decided.
 */
final class ServiceClaims implements Reservation {
    static final String NONE = "None";
    static final String HEALTH_CHECK = "healthCheckNodePort";
    static final String NODE_PORT = "nodePort";

    private final Pool pool;
    private final String namespace;
    private final String service;
    private final List<Claim> taken = new ArrayList<>();
    private final List<String> unusedAddresses = new ArrayList<>();
    private final List<Integer> unusedPorts = new ArrayList<>();

    /** What Services are given, and where it is written down. */
    record Pool(ServiceAddresses addresses, NodePorts nodePorts, ServiceLedger ledger) {
        /** What a Service that is gone held. */
        void release(JsonNode service) {
            String namespace = service.path("metadata").path("namespace").asText();
            String name = service.path("metadata").path("name").asText();
            JsonNode spec = service.path("spec");
            ServiceClaims.addresses(spec).forEach(address -> free(address, namespace, name));
            Set<Integer> ports = ServiceClaims.ports(spec);
            ports.add(healthCheckPort(spec));
            ports.remove(0);
            ports.forEach(port -> free(port, namespace, name));
        }

        private void free(String address, String namespace, String name) {
            ledger.strike(address, namespace, name);
            addresses.free(address);
        }

        private void free(int port, String namespace, String name) {
            ledger.strike(port, namespace, name);
            nodePorts.free(port);
        }
    }

    private ServiceClaims(Pool pool, JsonNode service) {
        this.pool = pool;
        this.namespace = service.path("metadata").path("namespace").asText();
        this.service = service.path("metadata").path("name").asText();
    }

    static ServiceClaims take(Pool pool, ObjectNode service, JsonNode was) {
        ServiceClaims claims = new ServiceClaims(pool, service);
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

    /** One thing that was taken. */
    private abstract static class Claim {
        private boolean entered;

        /** Enters it; takes another as long as it stands there for somebody else, or throws if only this one will do. True if it is another. */
        boolean secure() {
            boolean another = false;
            ServiceLedger.Entry entry = enter();
            while (entry == ServiceLedger.Entry.TAKEN) {
                another();
                another = true;
                entry = enter();
            }
            entered = entry == ServiceLedger.Entry.MADE;
            return another;
        }

        void cancel() {
            if (entered) {
                strike();
            }
            free();
        }

        abstract ServiceLedger.Entry enter();

        abstract void another();

        abstract void strike();

        abstract void free();
    }

    private final class AddressClaim extends Claim {
        private final ObjectNode spec;
        private final String family;
        private final boolean wanted;
        private final int place;
        private String address;

        AddressClaim(ObjectNode spec, String family, String wanted, int place) {
            this.spec = spec;
            this.family = family;
            this.wanted = !wanted.isEmpty();
            this.place = place;
            this.address = this.wanted
                    ? pool.addresses().take(wanted, service)
                    : pool.addresses().next(family);
        }

        @Override
        ServiceLedger.Entry enter() {
            return pool.ledger().enter(address, namespace, service);
        }

        @Override
        void another() {
            if (wanted) {
                throw ServiceAddresses.taken(service, address);
            }
            address = pool.addresses().next(family);
            ((ArrayNode) spec.get(ServiceFamilies.ADDRESSES)).set(place, address);
            if (place == 0) {
                spec.put("clusterIP", address);
            }
        }

        @Override
        void strike() {
            pool.ledger().strike(address, namespace, service);
        }

        @Override
        void free() {
            pool.addresses().free(address);
        }
    }

    private final class PortClaim extends Claim {
        private final List<ObjectNode> sharers = new ArrayList<>();
        private final String key;
        private final String path;
        private final boolean wanted;
        private int port;

        PortClaim(ObjectNode in, String key, String path) {
            this.key = key;
            this.path = path;
            int asked = in.path(key).asInt();
            this.wanted = asked != 0;
            this.port = pool.nodePorts().take(asked, service, path);
            share(in);
        }

        /** Somebody else in the same Service has the same port. */
        void share(ObjectNode in) {
            sharers.add(in);
            in.put(key, port);
        }

        @Override
        ServiceLedger.Entry enter() {
            return pool.ledger().enter(port, namespace, service);
        }

        @Override
        void another() {
            if (wanted) {
                throw NodePorts.taken(service, path, port);
            }
            port = pool.nodePorts().take(0, service, path);
            sharers.forEach(in -> in.put(key, port));
        }

        @Override
        void strike() {
            pool.ledger().strike(port, namespace, service);
        }

        @Override
        void free() {
            pool.nodePorts().free(port);
        }
    }

    private void addresses(ObjectNode spec, JsonNode was) {
        FieldErrors errors = new FieldErrors();
        ServiceFamilies.settle(spec, was, pool.addresses().families(), errors);
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
                                : taken(spec, families.get(i), i < wanted.size() ? wanted.get(i) : "", i));
            }
            spec.put("clusterIP", given.path(0).asText());
        }
        held.removeAll(addresses(spec));
        unusedAddresses.addAll(held);
    }

    private String taken(ObjectNode spec, String family, String wanted, int place) {
        AddressClaim claim = new AddressClaim(spec, family, wanted, place);
        taken.add(claim);
        return claim.address;
    }

    private void ports(ObjectNode spec, JsonNode was) {
        Set<Integer> held = ports(was);
        if (mayHaveNodePorts(spec)) {
            boolean given = !spec.path("type").asText().equals("LoadBalancer")
                    || spec.path("allocateLoadBalancerNodePorts").asBoolean(true);
            List<ObjectNode> ports = objects(spec, "ports");
            Map<Integer, PortClaim> claims = new HashMap<>();
            for (int i = 0; i < ports.size(); i++) {
                if (ports.get(i).path(NODE_PORT).asInt() == 0 && !given) {
                    continue;
                }
                if (was.isMissingNode()) {
                    newPort(ports, i, claims);
                } else {
                    changedPort(ports.get(i), i, held, claims);
                }
            }
        }
        held.removeAll(ports(spec));
        unusedPorts.addAll(held);
    }

    /** Ports of one number, such as those of TCP and UDP, share a node port when their Service is made. */
    private void newPort(List<ObjectNode> ports, int i, Map<Integer, PortClaim> byNumber) {
        ObjectNode port = ports.get(i);
        JsonNode number = port.path("port");
        int wanted = port.path(NODE_PORT).asInt();
        PortClaim shared = byNumber.get(number.asInt());
        if (shared != null && (wanted == 0 || wanted == shared.port)) {
            shared.share(port);
            return;
        }
        if (wanted == 0) {
            ports.stream()
                    .filter(other -> other.path("port").equals(number)
                            && other.path(NODE_PORT).asInt() != 0)
                    .findFirst()
                    .ifPresent(other -> port.set(NODE_PORT, other.get(NODE_PORT)));
        }
        byNumber.putIfAbsent(number.asInt(), claim(port, i));
    }

    /** Later each port has its own, unless the client says otherwise. */
    private void changedPort(ObjectNode port, int i, Set<Integer> held, Map<Integer, PortClaim> byNodePort) {
        int wanted = port.path(NODE_PORT).asInt();
        if (wanted == 0 || (!held.contains(wanted) && !byNodePort.containsKey(wanted))) {
            PortClaim claim = claim(port, i);
            byNodePort.put(wanted, claim);
        }
    }

    private PortClaim claim(ObjectNode port, int i) {
        PortClaim claim = new PortClaim(port, NODE_PORT, "spec.ports[" + i + "]." + NODE_PORT);
        taken.add(claim);
        return claim;
    }

    /** One that is held stays the same as long as it is needed: whoever wants another is refused later. */
    private void healthCheck(ObjectNode spec, JsonNode was) {
        int held = healthCheckPort(was);
        if (needsHealthCheck(spec) && held == 0) {
            taken.add(new PortClaim(spec, HEALTH_CHECK, "spec." + HEALTH_CHECK));
        }
        if (held != 0 && held != healthCheckPort(spec)) {
            unusedPorts.add(held);
        }
    }

    @Override
    public boolean secure() {
        boolean changed = false;
        for (Claim claim : taken) {
            changed |= claim.secure();
        }
        return changed;
    }

    @Override
    public void commit() {
        unusedAddresses.forEach(address -> pool.free(address, namespace, service));
        unusedPorts.forEach(port -> pool.free(port, namespace, service));
    }

    @Override
    public void cancel() {
        taken.forEach(Claim::cancel);
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
            spec.path("ports").forEach(port -> ports.add(port.path(NODE_PORT).asInt()));
            ports.remove(0);
        }
        return ports;
    }
}
