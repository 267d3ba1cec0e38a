package io.argosy.network.dns;

import io.argosy.api.net.Ip;
import io.argosy.network.EndpointGroup;
import io.argosy.network.EndpointGroup.Endpoint;
import io.argosy.network.Protocol;
import io.argosy.network.ServiceEntry;
import io.argosy.network.ServiceView;
import io.argosy.network.dns.RecordSet.Server;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The names of one Service as the Kubernetes DNS specification 1.1.0 lays them down.
 *
 * @param own what stands at the Service's own name; null if there is no such name, as for a headless one that nobody is ready behind
 * @param below what stands under it, by the labels in front
 * @param pointers the reverse names
 */
record ServiceRecords(Node own, Map<Name, Node> below, Map<Ip, Name> pointers) {

    /** A port as SRV names it. */
    private record Slot(String port, Protocol protocol) {}

    static ServiceRecords of(ServiceEntry entry, Name domain, int ttl) {
        ServiceView service = entry.service();
        Name fullName = Name.relative(service.name().name(), service.name().namespace(), "svc")
                .plus(domain);
        if (service.externalName().filter(ServiceRecords::isAddress).isPresent()) {
            return new ServiceRecords(null, Map.of(), Map.of());
        }
        if (service.externalName().isPresent()) {
            Name target = Name.of(service.externalName().get());
            RecordSet cname = RecordSet.of(Wire.CNAME, ttl, List.of(target.bytes()));
            return new ServiceRecords(new Node(null, null, null, cname, target), Map.of(), Map.of());
        }
        Map<String, Set<Ip>> hosts = hosts(entry.groups());
        Map<Ip, Name> pointers = new HashMap<>();
        hosts.forEach((host, ips) -> {
            Name target = Name.relative(host).plus(fullName);
            ips.forEach(ip -> pointers.put(ip, target));
        });
        service.clusterIps().forEach(ip -> pointers.put(ip, fullName));
        Collection<Ip> addresses = service.headless()
                ? hosts.values().stream().flatMap(Set::stream).toList()
                : service.clusterIps();
        Map<Slot, List<Server>> servers =
                service.headless() ? ofEndpoints(entry.groups(), fullName) : ofService(service, fullName);
        Map<Name, Node> below = below(hosts, servers, ttl);
        if (service.headless() && addresses.isEmpty()) {
            return new ServiceRecords(null, below, Map.of());
        }
        Node own = new Node(
                RecordSet.addresses(addresses, false, ttl),
                RecordSet.addresses(addresses, true, ttl),
                RecordSet.servers(
                        servers.values().stream().flatMap(List::stream).toList(), ttl),
                null,
                null);
        return new ServiceRecords(own, below, Map.copyOf(pointers));
    }

    /** An alias stands for a name; for an address there is no such thing. */
    private static boolean isAddress(String text) {
        try {
            Ip.parse(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** The addresses of ready endpoints by the name each has below its Service, whether that has an address of its own or not. */
    private static Map<String, Set<Ip>> hosts(List<EndpointGroup> groups) {
        Map<String, Set<Ip>> hosts = new LinkedHashMap<>();
        groups.forEach(group -> ready(group)
                .forEach(endpoint -> hosts.computeIfAbsent(host(endpoint), ignored -> new LinkedHashSet<>())
                        .add(endpoint.ip())));
        return hosts;
    }

    private static Map<Slot, List<Server>> ofService(ServiceView service, Name fullName) {
        Map<Slot, List<Server>> servers = new LinkedHashMap<>();
        for (ServiceView.Port port : service.ports()) {
            servers.computeIfAbsent(new Slot(port.name(), port.protocol()), ignored -> new ArrayList<>())
                    .add(new Server(fullName, port.port(), service.clusterIps()));
        }
        return servers;
    }

    private static Map<Slot, List<Server>> ofEndpoints(List<EndpointGroup> groups, Name fullName) {
        Map<Slot, List<Server>> servers = new LinkedHashMap<>();
        groups.forEach(group -> ready(group).forEach(endpoint -> {
            Name target = Name.relative(host(endpoint)).plus(fullName);
            for (EndpointGroup.Port port : group.ports()) {
                servers.computeIfAbsent(new Slot(port.name(), port.protocol()), ignored -> new ArrayList<>())
                        .add(new Server(target, port.port(), List.of(endpoint.ip())));
            }
        }));
        return servers;
    }

    private static Map<Name, Node> below(Map<String, Set<Ip>> hosts, Map<Slot, List<Server>> servers, int ttl) {
        Map<Name, Node> below = new HashMap<>();
        hosts.forEach((host, ips) -> below.put(
                Name.relative(host),
                new Node(RecordSet.addresses(ips, false, ttl), RecordSet.addresses(ips, true, ttl), null, null, null)));
        servers.forEach((slot, some) -> {
            if (!slot.port.isEmpty()) {
                String protocol = "_" + slot.protocol.lower();
                below.put(
                        Name.relative("_" + slot.port, protocol),
                        new Node(null, null, RecordSet.servers(some, ttl), null, null));
                below.putIfAbsent(Name.relative(protocol), Node.EMPTY);
            }
        });
        return Map.copyOf(below);
    }

    private static Stream<Endpoint> ready(EndpointGroup group) {
        return group.endpoints().stream().filter(Endpoint::ready);
    }

    private static String host(Endpoint endpoint) {
        return endpoint.hostname().orElseGet(() -> dashed(endpoint.ip()));
    }

    /** The name of an endpoint that has none: its address with dashes. */
    private static String dashed(Ip ip) {
        return ip.toString().replace('.', '-').replace(':', '-');
    }
}
