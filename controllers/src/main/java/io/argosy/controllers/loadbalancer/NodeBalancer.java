package io.argosy.controllers.loadbalancer;

import io.argosy.controllers.node.Nodes;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeAddress;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What a Service of type LoadBalancer gets where nobody else balances: the nodes answer at its ports under their own addresses.
 *
 * @param addresses those that answer, in order
 * @param refusal why there are none, or empty
 */
record NodeBalancer(List<String> addresses, String refusal) {
    private static final String EXCLUDED = "node.kubernetes.io/exclude-from-external-load-balancers";
    private static final Comparator<Service> AGE = Comparator.<Service, String>comparing(
                    service -> Objects.toString(service.getMetadata().getCreationTimestamp(), ""))
            .thenComparing(service -> service.getMetadata().getNamespace())
            .thenComparing(service -> service.getMetadata().getName());

    NodeBalancer {
        addresses = List.copyOf(addresses);
    }

    /** Whether the Service wants a balancer, and any: one that names a class is for the balancer of that class. */
    static boolean serves(Service service) {
        return service.getSpec() != null
                && "LoadBalancer".equals(service.getSpec().getType())
                && service.getSpec().getLoadBalancerClass() == null
                && service.getMetadata().getDeletionTimestamp() == null;
    }

    /**
     * Decides for one Service.
     *
     * @param others all Services; the oldest of those that want one port has it
     */
    static NodeBalancer of(
            Service service, Collection<Service> others, Collection<Node> nodes, Collection<EndpointSlice> slices) {
        Optional<String> taken = taken(service, others);
        if (taken.isPresent()) {
            return new NodeBalancer(List.of(), taken.get());
        }
        Set<String> serving = "Local".equals(service.getSpec().getExternalTrafficPolicy()) ? nodesOf(slices) : null;
        Set<String> addresses = new TreeSet<>(addresses(service, nodes, serving));
        String wanted = Objects.toString(service.getSpec().getLoadBalancerIP(), "");
        if (!wanted.isEmpty() && !addresses.contains(wanted)) {
            return new NodeBalancer(List.of(), "no node that takes part has the address " + wanted);
        }
        return new NodeBalancer(wanted.isEmpty() ? List.copyOf(addresses) : List.of(wanted), "");
    }

    private static Optional<String> taken(Service service, Collection<Service> others) {
        Set<String> wanted = ports(service);
        return others.stream()
                .filter(other -> serves(other) && AGE.compare(other, service) < 0)
                .sorted(AGE)
                .flatMap(other -> ports(other).stream()
                        .filter(wanted::contains)
                        .map(port -> "port " + port + " of the nodes is taken by the service "
                                + other.getMetadata().getNamespace() + "/"
                                + other.getMetadata().getName()))
                .findFirst();
    }

    private static Set<String> ports(Service service) {
        Set<String> ports = new TreeSet<>();
        for (ServicePort port : service.getSpec().getPorts()) {
            ports.add(port.getPort() + "/" + Objects.requireNonNullElse(port.getProtocol(), "TCP"));
        }
        return ports;
    }

    /** The nodes on which somebody can answer. */
    private static Set<String> nodesOf(Collection<EndpointSlice> slices) {
        Set<String> nodes = new HashSet<>();
        for (EndpointSlice slice : slices) {
            for (Endpoint endpoint : slice.getEndpoints()) {
                boolean ready = endpoint.getConditions() == null
                        || !Boolean.FALSE.equals(endpoint.getConditions().getReady());
                if (ready && endpoint.getNodeName() != null) {
                    nodes.add(endpoint.getNodeName());
                }
            }
        }
        return nodes;
    }

    /** The addresses by which the world knows the nodes; where none is known to it, those by which they know each other. */
    private static Collection<String> addresses(Service service, Collection<Node> nodes, Set<String> serving) {
        List<Node> taking = nodes.stream()
                .filter(node -> takesPart(node)
                        && (serving == null
                                || serving.contains(node.getMetadata().getName())))
                .toList();
        List<String> external = addresses(service, taking, "ExternalIP");
        return external.isEmpty() ? addresses(service, taking, "InternalIP") : external;
    }

    private static List<String> addresses(Service service, List<Node> nodes, String type) {
        Set<String> families = service.getSpec().getIpFamilies() == null
                ? Set.of()
                : service.getSpec().getIpFamilies().stream().collect(Collectors.toUnmodifiableSet());
        return nodes.stream()
                .flatMap(node -> node.getStatus().getAddresses().stream())
                .filter(address -> type.equals(address.getType()))
                .map(NodeAddress::getAddress)
                .filter(address -> families.isEmpty() || families.contains(address.contains(":") ? "IPv6" : "IPv4"))
                .toList();
    }

    private static boolean takesPart(Node node) {
        Map<String, String> labels = node.getMetadata().getLabels();
        return node.getMetadata().getDeletionTimestamp() == null
                && (labels == null || !labels.containsKey(EXCLUDED))
                && Nodes.isReady(node);
    }
}
