package io.argosy.controllers.endpoints;

import io.argosy.controllers.pod.Pods;
import io.argosy.controllers.service.ServicePods;
import io.argosy.controllers.service.TargetPorts;
import io.fabric8.kubernetes.api.model.EndpointAddress;
import io.fabric8.kubernetes.api.model.EndpointAddressBuilder;
import io.fabric8.kubernetes.api.model.EndpointPort;
import io.fabric8.kubernetes.api.model.EndpointSubset;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;

/** The subsets of a service's Endpoints: its pods, grouped by the ports they offer, always in the same order. */
public final class EndpointSubsets {
    /** As many addresses as one Endpoints object may hold. */
    static final int CAPACITY = 1000;

    private EndpointSubsets() {}

    private record Backend(EndpointAddress address, boolean ready) {}

    public static List<EndpointSubset> of(Service service, Collection<Pod> pods) {
        boolean publishAll = Boolean.TRUE.equals(service.getSpec().getPublishNotReadyAddresses());
        Map<List<EndpointPort>, List<Backend>> byPorts = new LinkedHashMap<>();
        Set<String> seen = new LinkedHashSet<>();
        for (Pod pod : pods) {
            String ip = ip(service, pod);
            if (!ServicePods.isReachable(pod, publishAll) || ip == null) {
                continue;
            }
            List<EndpointPort> ports = ports(service, pod);
            boolean portless = service.getSpec().getPorts().isEmpty();
            if (portless ? !"None".equals(service.getSpec().getClusterIP()) : ports.isEmpty()) {
                continue;
            }
            if (seen.add(ip + "/" + pod.getMetadata().getUid())) {
                byPorts.computeIfAbsent(ports, key -> new ArrayList<>())
                        .add(new Backend(address(service, pod, ip), publishAll || Pods.isReady(pod)));
            }
        }
        return byPorts.entrySet().stream()
                .map(group -> subset(group.getKey(), group.getValue()))
                .sorted(Comparator.comparing(subset -> subset.getPorts().toString()))
                .toList();
    }

    /** Keeps no more than an Endpoints object may hold, the ready ones before the others. */
    static List<EndpointSubset> truncate(List<EndpointSubset> subsets) {
        int ready = CAPACITY;
        List<EndpointSubset> kept = new ArrayList<>();
        for (EndpointSubset subset : subsets) {
            List<EndpointAddress> addresses = first(subset.getAddresses(), ready);
            ready -= addresses.size();
            kept.add(new EndpointSubset(addresses, List.of(), subset.getPorts()));
        }
        int rest = ready;
        for (int i = 0; i < kept.size(); i++) {
            List<EndpointAddress> addresses = first(subsets.get(i).getNotReadyAddresses(), rest);
            rest -= addresses.size();
            kept.get(i).setNotReadyAddresses(addresses);
        }
        kept.removeIf(subset ->
                subset.getAddresses().isEmpty() && subset.getNotReadyAddresses().isEmpty());
        return kept;
    }

    static int size(List<EndpointSubset> subsets) {
        return subsets.stream()
                .mapToInt(subset -> subset.getAddresses().size()
                        + subset.getNotReadyAddresses().size())
                .sum();
    }

    private static List<EndpointAddress> first(List<EndpointAddress> addresses, int count) {
        return addresses.subList(0, Math.min(addresses.size(), count));
    }

    private static EndpointSubset subset(List<EndpointPort> ports, List<Backend> backends) {
        backends.sort(Comparator.comparing(
                        (Backend backend) -> backend.address().getIp())
                .thenComparing(backend -> backend.address().getTargetRef().getUid()));
        List<EndpointAddress> ready = new ArrayList<>();
        List<EndpointAddress> notReady = new ArrayList<>();
        for (Backend backend : backends) {
            (backend.ready() ? ready : notReady).add(backend.address());
        }
        return new EndpointSubset(ready, notReady, ports);
    }

    private static List<EndpointPort> ports(Service service, Pod pod) {
        List<EndpointPort> ports = new ArrayList<>();
        for (ServicePort port : service.getSpec().getPorts()) {
            OptionalInt number = TargetPorts.find(pod, port);
            if (number.isPresent()) {
                String name = port.getName() == null || port.getName().isEmpty() ? null : port.getName();
                ports.add(new EndpointPort(
                        port.getAppProtocol(), name, number.getAsInt(), TargetPorts.protocol(port.getProtocol())));
            }
        }
        return ports;
    }

    private static EndpointAddress address(Service service, Pod pod, String ip) {
        String node = Pods.nodeName(pod);
        return new EndpointAddressBuilder()
                .withIp(ip)
                .withHostname(ServicePods.hostname(pod, service))
                .withNodeName(node.isEmpty() ? null : node)
                .withNewTargetRef()
                .withKind("Pod")
                .withNamespace(pod.getMetadata().getNamespace())
                .withName(pod.getMetadata().getName())
                .withUid(pod.getMetadata().getUid())
                .endTargetRef()
                .build();
    }

    /** The pod's address of the service's first family, or null. */
    private static String ip(Service service, Pod pod) {
        List<String> ips = ServicePods.ips(pod);
        List<String> families = service.getSpec().getIpFamilies();
        String clusterIp = service.getSpec().getClusterIP();
        boolean v6;
        if (!families.isEmpty()) {
            v6 = families.getFirst().equals("IPv6");
        } else if (!ServicePods.isHeadless(service)) {
            v6 = ServicePods.isIpv6(clusterIp);
        } else {
            return ips.isEmpty() ? null : ips.getFirst();
        }
        return ips.stream()
                .filter(ip -> ServicePods.isIpv6(ip) == v6)
                .findFirst()
                .orElse(null);
    }
}
