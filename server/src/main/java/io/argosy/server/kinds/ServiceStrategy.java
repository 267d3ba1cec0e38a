package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;
import static io.argosy.server.kinds.Trees.objects;
import static io.argosy.server.kinds.Trees.setDefault;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.names.Names;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Reservation;
import io.argosy.server.registry.Strategy;
import io.argosy.server.validation.Spot;
import java.util.List;
import java.util.Optional;

/** Services: each gets an address of its own when it is made, and node ports when it asks for them. */
public final class ServiceStrategy implements Strategy {
    private final ServiceClaims.Pool pool;

    ServiceStrategy(ServiceAddresses addresses, NodePorts nodePorts, ServiceLedger ledger) {
        this.pool = new ServiceClaims.Pool(addresses, nodePorts, ledger);
    }

    @Override
    public Optional<String> nameError(String name) {
        return Names.label1035Error(name);
    }

    @Override
    public void applyDefaults(ObjectNode service) {
        ObjectNode spec = child(service, "spec");
        setDefault(spec, "type", "ClusterIP");
        setDefault(spec, "sessionAffinity", "None");
        if (spec.path("sessionAffinity").asText().equals("ClientIP")) {
            setDefault(child(child(spec, "sessionAffinityConfig"), "clientIP"), "timeoutSeconds", 10800);
        }
        for (ObjectNode port : objects(spec, "ports")) {
            setDefault(port, "protocol", "TCP");
            if (!port.hasNonNull("targetPort")
                    || port.path("targetPort").asText().isEmpty()) {
                port.set("targetPort", port.path("port"));
            }
        }
        String type = spec.path("type").asText();
        if (!type.equals("ExternalName")) {
            setDefault(spec, "internalTrafficPolicy", "Cluster");
        }
        if (ServiceValidation.isOpen(spec)) {
            setDefault(spec, "externalTrafficPolicy", "Cluster");
        }
        if (type.equals("LoadBalancer")) {
            setDefault(spec, "allocateLoadBalancerNodePorts", true);
        }
    }

    @Override
    public void prepareForCreate(ObjectNode service) {
        service.putObject("status").putObject("loadBalancer");
        listAddress(child(service, "spec"));
    }

    /** Most who name an address name only the one. */
    private static void listAddress(ObjectNode spec) {
        String first = spec.path("clusterIP").asText("");
        if (!first.isEmpty() && spec.path(ServiceFamilies.ADDRESSES).isEmpty()) {
            spec.putArray(ServiceFamilies.ADDRESSES).add(first);
        }
    }

    @Override
    public void prepareForUpdate(ObjectNode service, ObjectNode before, String subresource) {
        ObjectNode spec = child(service, "spec");
        JsonNode was = before.path("spec");
        if (ServiceClaims.isExternal(spec)) {
            if (!ServiceClaims.isExternal(was)) {
                spec.remove(
                        List.of("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"));
            }
        } else {
            keepAddresses(spec, was);
        }
        if (ServiceClaims.mayHaveNodePorts(spec)) {
            keepNodePorts(spec, was);
        } else if (ServiceClaims.mayHaveNodePorts(was)) {
            objects(spec, "ports").forEach(port -> port.remove("nodePort"));
            spec.remove(List.of("allocateLoadBalancerNodePorts", "loadBalancerClass"));
        }
        if (!ServiceValidation.isOpen(spec) && ServiceValidation.isOpen(was)) {
            spec.remove("externalTrafficPolicy");
        }
        keepHealthCheckPort(spec, was);
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

    /** Kept while it is needed; one that was given, and that nobody changed, goes when it is not needed any more. */
    private static void keepHealthCheckPort(ObjectNode spec, JsonNode was) {
        JsonNode old = was.path(ServiceClaims.HEALTH_CHECK);
        if (!ServiceClaims.needsHealthCheck(was) || old.isMissingNode()) {
            return;
        }
        if (!ServiceClaims.needsHealthCheck(spec)) {
            if (old.equals(spec.path(ServiceClaims.HEALTH_CHECK))) {
                spec.remove(ServiceClaims.HEALTH_CHECK);
            }
        } else if (spec.path(ServiceClaims.HEALTH_CHECK).asInt() == 0) {
            spec.set(ServiceClaims.HEALTH_CHECK, old);
        }
    }

    @Override
    public Reservation reserve(ObjectNode service, ObjectNode before) {
        JsonNode was = before == null ? MissingNode.getInstance() : before.path("spec");
        return ServiceClaims.take(pool, service, was);
    }

    private static void keepNodePorts(ObjectNode spec, JsonNode was) {
        for (ObjectNode port : objects(spec, "ports")) {
            for (JsonNode old : was.path("ports")) {
                if (port.path("nodePort").asInt() == 0
                        && old.hasNonNull("nodePort")
                        && old.path("port").equals(port.path("port"))
                        && old.path("protocol").equals(port.path("protocol"))) {
                    port.set("nodePort", old.get("nodePort"));
                }
            }
        }
    }

    @Override
    public void released(ObjectNode service) {
        pool.release(service);
    }

    @Override
    public void validate(ObjectNode service, FieldErrors errors) {
        ServiceValidation.check(new Spot(service.path("spec"), "spec", errors));
    }

    @Override
    public void validateUpdate(ObjectNode service, ObjectNode before, String subresource, FieldErrors errors) {
        ServiceValidation.checkChange(new Spot(service.path("spec"), "spec", errors), before.path("spec"));
    }
}
