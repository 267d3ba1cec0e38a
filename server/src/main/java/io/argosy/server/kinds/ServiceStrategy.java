package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;
import static io.argosy.server.kinds.Trees.objects;
import static io.argosy.server.kinds.Trees.setDefault;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.names.Names;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Strategy;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Services: each gets an address of its own when it is made, and node ports when it asks for them. */
public final class ServiceStrategy implements Strategy {
    private static final List<String> TYPES = List.of("ClusterIP", "ExternalName", "LoadBalancer", "NodePort");
    private static final String NONE = "None";

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
        if (hasNodePorts(spec)) {
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
        if (!spec.path("type").asText().equals("ExternalName")) {
            assignAddress(spec);
        }
        if (hasNodePorts(spec)) {
            try {
                objects(spec, "ports").forEach(port -> nodePorts.assign(port, Set.of()));
            } catch (ApiException taken) {
                addresses.free(spec.path("clusterIP").asText());
                throw taken;
            }
        }
    }

    private void assignAddress(ObjectNode spec) {
        String wanted = spec.path("clusterIP").asText("");
        String address = wanted.equals(NONE) ? NONE : wanted.isEmpty() ? addresses.next() : addresses.take(wanted);
        spec.put("clusterIP", address);
        spec.putArray("clusterIPs").add(address);
        if (!spec.has("ipFamilies")) {
            spec.putArray("ipFamilies").add("IPv4");
        }
        setDefault(spec, "ipFamilyPolicy", "SingleStack");
    }

    @Override
    public void prepareForUpdate(ObjectNode service, ObjectNode before) {
        ObjectNode spec = child(service, "spec");
        JsonNode was = before.path("spec");
        boolean external = spec.path("type").asText().equals("ExternalName");
        if (!external && was.path("type").asText().equals("ExternalName")) {
            assignAddress(spec);
        } else if (!external) {
            for (String field : List.of("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")) {
                if (!spec.has(field) || spec.path(field).asText("-").isEmpty()) {
                    spec.set(field, was.path(field));
                }
            }
        } else if (!was.path("type").asText().equals("ExternalName")) {
            released(before);
            spec.remove(List.of("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"));
        }
        if (hasNodePorts(spec)) {
            keepNodePorts(spec, was);
            Set<Integer> held = new HashSet<>();
            was.path("ports").forEach(port -> held.add(port.path("nodePort").asInt(-1)));
            objects(spec, "ports").forEach(port -> nodePorts.assign(port, held));
        } else {
            objects(spec, "ports").forEach(port -> port.remove("nodePort"));
            spec.remove(List.of("externalTrafficPolicy", "allocateLoadBalancerNodePorts", "healthCheckNodePort"));
        }
    }

    private static void keepNodePorts(ObjectNode spec, JsonNode was) {
        for (ObjectNode port : objects(spec, "ports")) {
            for (JsonNode old : was.path("ports")) {
                if (!port.hasNonNull("nodePort")
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
        JsonNode spec = service.path("spec");
        String address = spec.path("clusterIP").asText("");
        if (!address.isEmpty() && !address.equals(NONE)) {
            addresses.free(address);
        }
        spec.path("ports").forEach(port -> nodePorts.free(port.path("nodePort").asInt()));
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
        } else if (spec.path("ports").isEmpty()
                && !spec.path("clusterIP").asText().equals(NONE)) {
            errors.required("spec.ports", "");
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
        }
    }

    @Override
    public void validateUpdate(ObjectNode service, ObjectNode before, FieldErrors errors) {
        JsonNode now = service.path("spec").path("clusterIP");
        JsonNode was = before.path("spec").path("clusterIP");
        if (!was.isMissingNode() && !now.isMissingNode() && !now.equals(was)) {
            errors.invalid("spec.clusterIPs[0]", service.path("spec").path("clusterIPs"), "may not change once set");
        }
    }

    private static boolean hasNodePorts(JsonNode spec) {
        String type = spec.path("type").asText();
        return type.equals("NodePort")
                || (type.equals("LoadBalancer")
                        && spec.path("allocateLoadBalancerNodePorts").asBoolean(true));
    }
}
