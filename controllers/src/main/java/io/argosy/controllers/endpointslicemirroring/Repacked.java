package io.argosy.controllers.endpointslicemirroring;

import io.fabric8.kubernetes.api.model.EndpointAddress;
import io.fabric8.kubernetes.api.model.EndpointPort;
import io.fabric8.kubernetes.api.model.EndpointSubset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The subsets of an Endpoints object as people may write them, brought together: every port has each of its addresses once, and ports
 * with the same addresses share a subset. Without it an address could be ready in one slice and not in another with the same ports.
 */
final class Repacked {
    /** One host; pods that share their node's address are still not one. */
    private record Host(String ip, String uid) {
        static Host of(EndpointAddress address) {
            String uid = address.getTargetRef() == null
                    ? null
                    : address.getTargetRef().getUid();
            return new Host(address.getIp(), uid == null ? "" : uid);
        }
    }

    private final Map<Host, EndpointAddress> addresses = new HashMap<>();
    /** Which hosts offer a port, and whether they are ready; nothing stands for having no port at all. */
    private final Map<Optional<EndpointPort>, Map<Host, Boolean>> byPort = new LinkedHashMap<>();

    private Repacked() {}

    static List<EndpointSubset> of(List<EndpointSubset> written) {
        Repacked repacked = new Repacked();
        written.forEach(repacked::add);
        return repacked.subsets();
    }

    private void add(EndpointSubset subset) {
        List<Optional<EndpointPort>> ports = subset.getPorts().isEmpty()
                ? List.of(Optional.empty())
                : subset.getPorts().stream().map(Optional::of).toList();
        for (Optional<EndpointPort> port : ports) {
            Map<Host, Boolean> hosts = byPort.computeIfAbsent(port, any -> new LinkedHashMap<>());
            subset.getAddresses().forEach(address -> add(hosts, address, true));
            subset.getNotReadyAddresses().forEach(address -> add(hosts, address, false));
        }
    }

    /** Who is said to be ready and not ready is not. */
    private void add(Map<Host, Boolean> hosts, EndpointAddress address, boolean ready) {
        Host host = Host.of(address);
        addresses.putIfAbsent(host, address);
        hosts.merge(host, ready, Boolean::logicalAnd);
    }

    private List<EndpointSubset> subsets() {
        Map<Map<Host, Boolean>, List<EndpointPort>> byHosts = new LinkedHashMap<>();
        byPort.forEach((port, hosts) -> {
            List<EndpointPort> ports = byHosts.computeIfAbsent(hosts, any -> new ArrayList<>());
            port.ifPresent(ports::add);
        });
        List<EndpointSubset> subsets = new ArrayList<>();
        byHosts.forEach((hosts, ports) -> subsets.add(new EndpointSubset(of(hosts, true), of(hosts, false), ports)));
        return subsets;
    }

    private List<EndpointAddress> of(Map<Host, Boolean> hosts, boolean ready) {
        return hosts.keySet().stream()
                .filter(host -> hosts.get(host) == ready)
                .map(addresses::get)
                .toList();
    }
}
