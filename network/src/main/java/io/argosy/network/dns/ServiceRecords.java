package io.argosy.network.dns;

import io.argosy.api.net.Ip;
import io.argosy.network.EndpointGroup;
import io.argosy.network.EndpointGroup.Endpoint;
import io.argosy.network.Protocol;
import io.argosy.network.ServiceEntry;
import io.argosy.network.ServiceView;
import io.argosy.network.dns.RecordSet.Server;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The names of one Service as the Kubernetes DNS specification 1.1.0 lays them down.
 *
 * @param own what stands at the Service's own name
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
        if (service.externalName().isPresent()) {
            Name target = Name.of(service.externalName().get());
            RecordSet cname = RecordSet.of(Wire.CNAME, ttl, List.of(target.bytes()));
            return new ServiceRecords(new Node(null, null, null, cname, target), Map.of(), Map.of());
        }
        return service.headless() ? headless(entry, fullName, ttl) : withAddress(service, fullName, ttl);
    }

    private static ServiceRecords withAddress(ServiceView service, Name fullName, int ttl) {
        Map<Slot, List<Server>> servers = new LinkedHashMap<>();
        for (ServiceView.Port port : service.ports()) {
            servers.computeIfAbsent(new Slot(port.name(), port.protocol()), ignored -> new ArrayList<>())
                    .add(new Server(fullName, port.port(), service.clusterIps()));
        }
        Map<Ip, Name> pointers = new HashMap<>();
        service.clusterIps().forEach(ip -> pointers.put(ip, fullName));
        return assemble(service.clusterIps(), Map.of(), servers, pointers, ttl);
    }

    private static ServiceRecords headless(ServiceEntry entry, Name fullName, int ttl) {
        Map<String, Set<Ip>> hosts = new LinkedHashMap<>();
        Map<Slot, List<Server>> servers = new LinkedHashMap<>();
        Map<Ip, Name> pointers = new HashMap<>();
        for (EndpointGroup group : entry.groups()) {
            for (Endpoint endpoint : group.endpoints()) {
                if (!endpoint.ready() && !entry.service().publishNotReady()) {
                    continue;
                }
                String host = endpoint.hostname().orElseGet(() -> dashed(endpoint.ip()));
                hosts.computeIfAbsent(host, ignored -> new LinkedHashSet<>()).add(endpoint.ip());
                Name target = Name.relative(host).plus(fullName);
                pointers.put(endpoint.ip(), target);
                for (EndpointGroup.Port port : group.ports()) {
                    servers.computeIfAbsent(new Slot(port.name(), port.protocol()), ignored -> new ArrayList<>())
                            .add(new Server(target, port.port(), List.of(endpoint.ip())));
                }
            }
        }
        List<Ip> all = hosts.values().stream().flatMap(Set::stream).toList();
        return assemble(all, hosts, servers, pointers, ttl);
    }

    private static ServiceRecords assemble(
            List<Ip> addresses,
            Map<String, Set<Ip>> hosts,
            Map<Slot, List<Server>> servers,
            Map<Ip, Name> pointers,
            int ttl) {
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
        List<Server> all = servers.values().stream().flatMap(List::stream).toList();
        Node own = new Node(
                RecordSet.addresses(addresses, false, ttl),
                RecordSet.addresses(addresses, true, ttl),
                RecordSet.servers(all, ttl),
                null,
                null);
        return new ServiceRecords(own, Map.copyOf(below), Map.copyOf(pointers));
    }

    /** The name of an endpoint that has none: its address with dashes. */
    private static String dashed(Ip ip) {
        return ip.toString().replace('.', '-').replace(':', '-');
    }
}
