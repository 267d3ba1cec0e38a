package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.argosy.api.names.Names;
import io.argosy.server.rules.IngressRules;
import io.argosy.server.validation.Spot;
import java.net.InetAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a Service must say. */
final class ServiceValidation {
    private static final List<String> TYPES = List.of("ClusterIP", "ExternalName", "LoadBalancer", "NodePort");
    private static final List<String> PROTOCOLS = List.of("SCTP", "TCP", "UDP");
    private static final List<String> POLICIES = List.of("Cluster", "Local");
    private static final int LONGEST_AFFINITY = 86400;
    private static final String ONLY_FOR_BALANCERS = "may only be used when `type` is 'LoadBalancer'";

    private ServiceValidation() {}

    static void check(Spot spec) {
        spec.at("type").oneOf(TYPES);
        boolean headless = spec.text("clusterIP").equals(ServiceClaims.NONE);
        String type = spec.text("type");
        if (type.equals("ExternalName")) {
            externalName(spec);
        } else {
            if (spec.at("ports").value().isEmpty() && !headless) {
                spec.at("ports").required();
            }
            if (headless && !type.equals("ClusterIP")) {
                spec.each(ServiceFamilies.ADDRESSES)
                        .getFirst()
                        .invalid("may not be set to 'None' for " + type + " services");
            }
            ServiceFamilies.check(spec);
        }
        ports(spec);
        spec.at("selector").labels();
        affinity(spec);
        for (Spot address : spec.each("externalIPs")) {
            if (Spot.isAddress(address.text())) {
                ordinary(address);
            } else {
                address.address();
            }
        }
        balancer(spec);
        traffic(spec);
    }

    private static void externalName(Spot spec) {
        for (String field : List.of(ServiceFamilies.ADDRESSES, ServiceFamilies.FAMILIES, ServiceFamilies.POLICY)) {
            boolean addressed = field.equals(ServiceFamilies.ADDRESSES)
                    && !spec.text("clusterIP").isEmpty();
            if (addressed
                    || !spec.at(field).value().isEmpty()
                    || !spec.text(field).isEmpty()) {
                spec.at(field).forbidden("may not be set for ExternalName services");
            }
        }
        String name = spec.text("externalName");
        if (spec.at("externalName").needed()) {
            String plain = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
            Names.subdomainError(plain)
                    .ifPresent(error -> spec.at("externalName").invalid(plain, error));
        }
    }

    private static void ports(Spot spec) {
        List<Spot> ports = spec.each("ports");
        Set<String> names = new HashSet<>();
        Set<String> numbers = new HashSet<>();
        Set<String> nodePorts = new HashSet<>();
        for (Spot port : ports) {
            Spot name = port.at("name");
            if (!name.text().isEmpty()) {
                name.label();
                if (!names.add(name.text())) {
                    name.duplicate(name.text());
                }
            } else if (ports.size() > 1) {
                name.required();
            }
            port.at("port").port();
            port.at("protocol").oneOf(PROTOCOLS);
            port.at("targetPort").portOrName();
            if (port.has("appProtocol")) {
                port.at("appProtocol").qualifiedName();
            }
            String protocol = port.text("protocol");
            if (!numbers.add(protocol + "/" + port.text("port"))) {
                port.duplicate(protocol + "/" + port.text("port"));
            }
            Spot nodePort = port.at("nodePort");
            if (nodePort.number() != 0) {
                if (spec.text("type").equals("ClusterIP")) {
                    nodePort.forbidden("may not be used when `type` is 'ClusterIP'");
                }
                if (!nodePorts.add(protocol + "/" + nodePort.number())) {
                    nodePort.duplicate(nodePort.number());
                }
            }
        }
    }

    private static void affinity(Spot spec) {
        spec.at("sessionAffinity").oneOf(List.of("ClientIP", "None"));
        if (spec.text("sessionAffinity").equals("ClientIP")) {
            Spot timeout = spec.at("sessionAffinityConfig").at("clientIP").at("timeoutSeconds");
            if (timeout.number() <= 0 || timeout.number() > LONGEST_AFFINITY) {
                timeout.invalid("must be greater than 0 and less than " + LONGEST_AFFINITY);
            }
        }
    }

    /** Addresses that mean something else to every machine cannot be a Service's. */
    private static void ordinary(Spot address) {
        InetAddress parsed = InetAddress.ofLiteral(address.text());
        if (parsed.isAnyLocalAddress()) {
            address.invalid("may not be unspecified (" + address.text() + ")");
        }
        if (parsed.isLoopbackAddress()) {
            address.invalid("may not be in the loopback range (127.0.0.0/8, ::1/128)");
        }
        if (parsed.isLinkLocalAddress()) {
            address.invalid("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
        }
        if (isLinkLocalMulticast(parsed.getAddress())) {
            address.invalid("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
        }
    }

    private static boolean isLinkLocalMulticast(byte[] address) {
        return address.length == 4
                ? address[0] == (byte) 224 && address[1] == 0 && address[2] == 0
                : address[0] == (byte) 0xff && (address[1] & 0x0f) == 0x02;
    }

    private static void balancer(Spot spec) {
        boolean balanced = spec.text("type").equals("LoadBalancer");
        Spot ranges = spec.at("loadBalancerSourceRanges").called("spec.LoadBalancerSourceRanges"); // upstream's capital
        if (!ranges.value().isEmpty() && !balanced) {
            ranges.forbidden(ONLY_FOR_BALANCERS);
        }
        for (Spot range : ranges.each()) {
            new Spot(TextNode.valueOf(range.text().strip()), range.path(), range.errors()).range();
        }
        for (String field : List.of("allocateLoadBalancerNodePorts", "loadBalancerClass")) {
            if (spec.has(field) && !balanced) {
                spec.at(field).forbidden(ONLY_FOR_BALANCERS);
            }
        }
        if (balanced && spec.has("loadBalancerClass")) {
            spec.at("loadBalancerClass").qualifiedName();
        }
    }

    private static void traffic(Spot spec) {
        Spot external = spec.at("externalTrafficPolicy");
        if (isOpen(spec.value())) {
            external.neededOneOf(POLICIES);
        } else if (!external.text().isEmpty()) {
            external.invalid("may only be set for externally-accessible services");
        }
        spec.at("internalTrafficPolicy").oneOf(POLICIES);
        spec.at("trafficDistribution").oneOf(List.of("PreferClose", "PreferSameZone", "PreferSameNode"));
        Spot check = spec.at(ServiceClaims.HEALTH_CHECK);
        if (check.number() != 0 && !ServiceClaims.needsHealthCheck(spec.value())) {
            check.invalid("may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'");
        }
    }

    /** Whether the world can come in. */
    static boolean isOpen(JsonNode spec) {
        return ServiceClaims.mayHaveNodePorts(spec)
                || (spec.path("type").asText().equals("ClusterIP")
                        && !spec.path("externalIPs").isEmpty());
    }

    /** What may not become of it. */
    static void checkChange(Spot spec, JsonNode was) {
        if (ServiceClaims.isExternal(was) || ServiceClaims.isExternal(spec.value())) {
            return;
        }
        List<String> before = ServiceFamilies.texts(was, ServiceFamilies.ADDRESSES);
        List<String> now = ServiceFamilies.texts(spec.value(), ServiceFamilies.ADDRESSES);
        fixed(spec, ServiceFamilies.ADDRESSES, before, now);
        if (!now.equals(List.of(ServiceClaims.NONE))) {
            fixed(
                    spec,
                    ServiceFamilies.FAMILIES,
                    ServiceFamilies.texts(was, ServiceFamilies.FAMILIES),
                    ServiceFamilies.texts(spec.value(), ServiceFamilies.FAMILIES));
        }
        Spot check = spec.at(ServiceClaims.HEALTH_CHECK);
        if (ServiceClaims.needsHealthCheck(spec.value())
                && ServiceClaims.needsHealthCheck(was)
                && !check.value().equals(was.path(ServiceClaims.HEALTH_CHECK))) {
            check.forbidden("field is immutable");
        }
        boolean stays = was.path("type").asText().equals("LoadBalancer")
                && spec.text("type").equals("LoadBalancer");
        if (stays
                && !spec.text("loadBalancerClass")
                        .equals(was.path("loadBalancerClass").asText(""))) {
            spec.at("loadBalancerClass").invalid("may not change once set");
        }
    }

    /** Where a balancer says that it answers. */
    static void checkBalancer(Spot balancer, JsonNode spec) {
        Spot answers = balancer.at("ingress");
        if (!spec.path("type").asText().equals("LoadBalancer")) {
            if (!answers.value().isEmpty()) {
                answers.forbidden("may only be used when `spec.type` is 'LoadBalancer'");
            }
            return;
        }
        IngressRules.checkBalancer(balancer);
        for (Spot answer : answers.each()) {
            Spot mode = answer.at("ipMode");
            if (!answer.text("ip").isEmpty()) {
                mode.oneOf(List.of("Proxy", "VIP"));
            } else if (mode.isGiven()) {
                mode.forbidden("may not be specified when `ip` is not set");
            }
        }
    }

    /** A second may come and go, but what stays stays the same. */
    private static void fixed(Spot spec, String field, List<String> before, List<String> now) {
        for (int i = 0; i < Math.min(before.size(), now.size()); i++) {
            if (!before.get(i).equals(now.get(i))) {
                spec.errors()
                        .invalid("spec." + field + "[" + i + "]", spec.value().path(field), "may not change once set");
            }
        }
    }
}
