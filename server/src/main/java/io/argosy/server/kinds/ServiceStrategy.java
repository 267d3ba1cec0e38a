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
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Services: each gets an address of its own when it is made, and node ports when it asks for them. */
public final class ServiceStrategy implements Strategy {
    private static final List<String> TYPES = List.of("ClusterIP", "ExternalName", "LoadBalancer", "NodePort");
    private static final String NONE = ServiceClaims.NONE;

    private final ServiceAddresses addresses;
    private final NodePorts nodePorts;

    public ServiceStrategy(ServiceAddresses addresses, NodePorts nodePorts) {
        this.addresses = addresses;
        this.nodePorts = nodePorts;
    }

    @Override
    public Optional<String> nameError(String name) {
        return Names.label1035Error(name);
    }

    @Override
    public void applyDefaults(ObjectNode service) {
        ObjectNode spec = child(service, "spec");
        setDefault(spec, "type", "ClusterIP");
        setDefault(spec, "sessionAffinity", NONE);
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
        if (ServiceClaims.mayHaveNodePorts(spec)) {
            setDefault(spec, "externalTrafficPolicy", "Cluster");
        }
        if (type.equals("LoadBalancer")) {
            setDefault(spec, "allocateLoadBalancerNodePorts", true);
        }
    }

    @Override
    public void prepareForCreate(ObjectNode service) {
        service.putObject("status").putObject("loadBalancer");
        ObjectNode spec = child(service, "spec");
        JsonNode first = spec.path("clusterIPs").path(0);
        if (!spec.hasNonNull("clusterIP") && first.isTextual()) {
            spec.put("clusterIP", first.asText());
        }
        families(spec);
    }

    private static void families(ObjectNode spec) {
        if (!ServiceClaims.isExternal(spec)) {
            if (!spec.has("ipFamilies")) {
                spec.putArray("ipFamilies").add("IPv4");
            }
            setDefault(spec, "ipFamilyPolicy", "SingleStack");
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
            for (String field : List.of("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")) {
                boolean absent =
                        !spec.has(field) || spec.path(field).asText("-").isEmpty();
                if (absent && was.has(field)) {
                    spec.set(field, was.get(field).deepCopy());
                }
            }
            families(spec);
        }
        if (ServiceClaims.mayHaveNodePorts(spec)) {
            keepNodePorts(spec, was);
        } else if (ServiceClaims.mayHaveNodePorts(was)) {
            objects(spec, "ports").forEach(port -> port.remove("nodePort"));
            spec.remove(List.of("externalTrafficPolicy", "allocateLoadBalancerNodePorts"));
        }
        keepHealthCheckPort(spec, was);
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
        return ServiceClaims.take(addresses, nodePorts, service, was);
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
        ServiceClaims.release(addresses, nodePorts, service.path("spec"));
    }

    @Override
    public void validate(ObjectNode service, FieldErrors errors) {
        JsonNode spec = service.path("spec");
        String type = spec.path("type").asText();
        if (!TYPES.contains(type)) {
            errors.notSupported("spec.type", type, TYPES);
        }
        if (type.equals("ExternalName")) {
            if (spec.path("externalName").asText().isEmpty()) {
                errors.required("spec.externalName", "");
            }
            if (!spec.path("clusterIP").asText().isEmpty()) {
                errors.forbidden("spec.clusterIPs", "may not be used when `type` is 'ExternalName'");
            }
        } else if (spec.path("ports").isEmpty()
                && !spec.path("clusterIP").asText().equals(NONE)) {
            errors.required("spec.ports", "");
        }
        if (spec.path(ServiceClaims.HEALTH_CHECK).asInt() != 0 && !ServiceClaims.needsHealthCheck(spec)) {
            errors.invalid(
                    "spec." + ServiceClaims.HEALTH_CHECK,
                    spec.path(ServiceClaims.HEALTH_CHECK),
                    "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'");
        }
        ports(spec, errors);
    }

    private static void ports(JsonNode spec, FieldErrors errors) {
        List<ObjectNode> ports = objects(spec, "ports");
        Set<String> names = new HashSet<>();
        Set<String> numbers = new HashSet<>();
        for (int i = 0; i < ports.size(); i++) {
            String at = "spec.ports[" + i + "]";
            ObjectNode port = ports.get(i);
            PodValidation.port(port, "port", at, errors);
            String name = port.path("name").asText();
            if (name.isEmpty() && ports.size() > 1) {
                errors.required(at + ".name", "");
            } else if (!name.isEmpty() && !names.add(name)) {
                errors.duplicate(at + ".name", name);
            }
            String number =
                    port.path("protocol").asText() + "/" + port.path("port").asText();
            if (!numbers.add(number)) {
                errors.duplicate(at, number);
            }
            if (!PodValidation.PROTOCOLS.contains(port.path("protocol").asText())) {
                errors.notSupported(at + ".protocol", port.path("protocol").asText(), PodValidation.PROTOCOLS);
            }
            JsonNode target = port.path("targetPort");
            if (target.isNumber()) {
                PodValidation.port(port, "targetPort", at, errors);
            }
            if (port.path("nodePort").asInt() != 0 && !ServiceClaims.mayHaveNodePorts(spec)) {
                errors.forbidden(
                        at + ".nodePort",
                        "may not be used when `type` is '" + spec.path("type").asText() + "'");
            }
        }
    }

    @Override
    public void validateUpdate(ObjectNode service, ObjectNode before, String subresource, FieldErrors errors) {
        JsonNode now = service.path("spec").path("clusterIP");
        JsonNode was = before.path("spec").path("clusterIP");
        if (!was.isMissingNode() && !now.isMissingNode() && !now.equals(was)) {
            errors.invalid("spec.clusterIPs[0]", service.path("spec").path("clusterIPs"), "may not change once set");
        }
        JsonNode spec = service.path("spec");
        JsonNode port = spec.path(ServiceClaims.HEALTH_CHECK);
        if (ServiceClaims.needsHealthCheck(spec)
                && ServiceClaims.needsHealthCheck(before.path("spec"))
                && !port.equals(before.path("spec").path(ServiceClaims.HEALTH_CHECK))) {
            errors.invalid(
                    "spec." + ServiceClaims.HEALTH_CHECK,
                    port,
                    "cannot change healthCheckNodePort on loadBalancer service with externalTraffic set to Local during"
                            + " update");
        }
    }
}
