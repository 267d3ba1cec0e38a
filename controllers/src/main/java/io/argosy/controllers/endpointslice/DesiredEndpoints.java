package io.argosy.controllers.endpointslice;

import io.argosy.controllers.pod.Pods;
import io.argosy.controllers.service.ServicePods;
import io.argosy.controllers.service.TargetPorts;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointHints;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointPort;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.ForNode;
import io.fabric8.kubernetes.api.model.discovery.v1.ForZone;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/** The endpoints a service should have, grouped by the ports that the pods offer: pods may give one port name different numbers. */
final class DesiredEndpoints {
    static final String ZONE = "topology.kubernetes.io/zone";

    private DesiredEndpoints() {}

    /** What makes two endpoints the same one; the rest of an endpoint may change. */
    record Key(List<String> addresses, String hostname, String namespace, String name) {
        static Key of(Endpoint endpoint) {
            boolean named = endpoint.getTargetRef() != null;
            return new Key(
                    endpoint.getAddresses().stream().sorted().toList(),
                    endpoint.getHostname(),
                    named ? endpoint.getTargetRef().getNamespace() : null,
                    named ? endpoint.getTargetRef().getName() : null);
        }
    }

    /** IPv4, IPv6 or both, as the service says; an old object that does not say is taken by its address. */
    static Set<String> addressTypes(Service service) {
        Set<String> types = new LinkedHashSet<>(service.getSpec().getIpFamilies());
        if (types.isEmpty()) {
            if (ServicePods.isHeadless(service)) {
                types.add("IPv4");
                types.add("IPv6");
            } else {
                types.add(ServicePods.isIpv6(service.getSpec().getClusterIP()) ? "IPv6" : "IPv4");
            }
        }
        return types;
    }

    /** A pod whose node is unknown is left out: it is about to be collected, and its node's coming will be heard. */
    static Map<List<EndpointPort>, Map<Key, Endpoint>> of(
            Service service, Collection<Pod> pods, Function<String, Node> nodes, String addressType) {
        boolean publishAll = Boolean.TRUE.equals(service.getSpec().getPublishNotReadyAddresses());
        Map<List<EndpointPort>, Map<Key, Endpoint>> byPorts = new LinkedHashMap<>();
        for (Pod pod : pods) {
            if (!ServicePods.isReachable(pod, true)) {
                continue;
            }
            Map<Key, Endpoint> group = byPorts.computeIfAbsent(ports(service, pod), key -> new LinkedHashMap<>());
            Node node = nodes.apply(Pods.nodeName(pod));
            if (node == null && !publishAll) {
                continue;
            }
            List<String> addresses = ServicePods.ips(pod).stream()
                    .filter(ip -> ServicePods.isIpv6(ip) == addressType.equals("IPv6"))
                    .toList();
            if (!addresses.isEmpty()) {
                Endpoint endpoint = endpoint(service, pod, node, addresses);
                group.put(Key.of(endpoint), endpoint);
            }
        }
        return byPorts;
    }

    private static Endpoint endpoint(Service service, Pod pod, Node node, List<String> addresses) {
        boolean serving = Pods.isReady(pod);
        boolean terminating = Pods.isDeleting(pod);
        boolean ready =
                Boolean.TRUE.equals(service.getSpec().getPublishNotReadyAddresses()) || (serving && !terminating);
        String nodeName = Pods.nodeName(pod);
        String zone = node == null || node.getMetadata().getLabels() == null
                ? null
                : node.getMetadata().getLabels().get(ZONE);
        String knownZone = zone == null || zone.isEmpty() ? null : zone;
        return new EndpointBuilder()
                .withAddresses(addresses)
                .withNewConditions()
                .withReady(ready)
                .withServing(serving)
                .withTerminating(terminating)
                .endConditions()
                .withHostname(ServicePods.hostname(pod, service))
                .withNodeName(nodeName.isEmpty() ? null : nodeName)
                .withZone(knownZone)
                .withHints(ready ? hints(service, knownZone, nodeName) : null)
                .withNewTargetRef()
                .withKind("Pod")
                .withNamespace(pod.getMetadata().getNamespace())
                .withName(pod.getMetadata().getName())
                .withUid(pod.getMetadata().getUid())
                .endTargetRef()
                .build();
    }

    /** Where traffic should rather come from, when the service prefers that it stays near. */
    private static EndpointHints hints(Service service, String zone, String node) {
        String distribution = service.getSpec().getTrafficDistribution();
        if (distribution == null || ZoneHints.areWanted(service)) {
            return null;
        }
        boolean sameNode = distribution.equals("PreferSameNode");
        boolean sameZone = sameNode || distribution.equals("PreferSameZone") || distribution.equals("PreferClose");
        List<ForZone> zones = sameZone && zone != null ? List.of(new ForZone(zone)) : List.of();
        List<ForNode> nodes = sameNode && !node.isEmpty() ? List.of(new ForNode(node)) : List.of();
        return zones.isEmpty() && nodes.isEmpty() ? null : new EndpointHints(nodes, zones);
    }

    /** Gives the ready endpoints of one address type hints for zones, near what slices say already; empty if the service wants none. */
    static Optional<ZoneHints.Outcome> hint(
            Service service,
            Collection<Map<Key, Endpoint>> groups,
            Collection<EndpointSlice> existing,
            NavigableMap<String, Double> shares) {
        if (!ZoneHints.areWanted(service)) {
            return Optional.empty();
        }
        Map<Key, Endpoint> ready = new TreeMap<>(Comparator.comparing(Key::toString));
        groups.forEach(group -> group.forEach((key, endpoint) -> {
            if (Boolean.TRUE.equals(endpoint.getConditions().getReady())) {
                ready.put(key, endpoint);
            }
        }));
        Map<Key, String> former = new HashMap<>();
        existing.forEach(slice -> slice.getEndpoints().stream()
                .filter(endpoint -> endpoint.getHints() != null)
                .forEach(endpoint -> endpoint.getHints().getForZones().stream()
                        .findFirst()
                        .ifPresent(zone -> former.put(Key.of(endpoint), zone.getName()))));
        ZoneHints.Outcome outcome = ZoneHints.assign(ready, former, shares);
        outcome.zones()
                .forEach((key, zone) ->
                        ready.get(key).setHints(new EndpointHints(List.of(), List.of(new ForZone(zone)))));
        return Optional.of(outcome);
    }

    private static List<EndpointPort> ports(Service service, Pod pod) {
        List<EndpointPort> ports = new ArrayList<>();
        for (ServicePort port : service.getSpec().getPorts()) {
            OptionalInt number = TargetPorts.find(pod, port);
            if (number.isPresent()) {
                ports.add(new EndpointPort(
                        port.getAppProtocol(),
                        port.getName() == null ? "" : port.getName(),
                        number.getAsInt(),
                        TargetPorts.protocol(port.getProtocol())));
            }
        }
        return sorted(ports);
    }

    static List<EndpointPort> sorted(List<EndpointPort> ports) {
        return ports.stream()
                .sorted(Comparator.comparing((EndpointPort port) -> port.getName() == null ? "" : port.getName())
                        .thenComparing(port -> port.getPort() == null ? 0 : port.getPort())
                        .thenComparing(port -> TargetPorts.protocol(port.getProtocol())))
                .toList();
    }
}
