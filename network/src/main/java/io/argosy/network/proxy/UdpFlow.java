package io.argosy.network.proxy;

import io.argosy.api.net.Ip;
import io.argosy.network.EndpointGroup;
import io.argosy.network.Protocol;
import io.argosy.network.ServiceView;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A way UDP packets may take: from an address and port, or from a node port, to a target. The kernel remembers such ways,
 * and since UDP has no end of connection, it must be told when one no longer leads anywhere.
 *
 * @param destination what the client sent to; empty for a node port
 * @param target where it was led; empty stands for every place, as before the Service had endpoints
 */
record UdpFlow(Optional<Ip> destination, int port, Optional<Target> target) {

    static Set<UdpFlow> of(ServiceView service, Collection<EndpointGroup> groups, Family family, ProxyConfig config) {
        Set<UdpFlow> flows = new HashSet<>();
        for (ServiceView.Port port : service.ports()) {
            if (port.protocol() != Protocol.UDP || service.headless()) {
                continue;
            }
            EndpointSelection endpoints = EndpointSelection.select(service, port, groups, family, config);
            Stream.concat(endpoints.cluster().stream(), endpoints.local().stream())
                    .distinct()
                    .map(Optional::of)
                    .forEach(target -> {
                        Stream.of(service.clusterIps(), service.externalIps(), service.loadBalancerIps())
                                .flatMap(List::stream)
                                .filter(family::has)
                                .forEach(ip -> flows.add(new UdpFlow(Optional.of(ip), port.port(), target)));
                        if (port.nodePort() > 0) {
                            flows.add(new UdpFlow(Optional.empty(), port.nodePort(), target));
                        }
                    });
        }
        return flows;
    }

    /** What the kernel should forget when the first set of flows gives way to the second. */
    static List<UdpFlow> stale(Set<UdpFlow> before, Set<UdpFlow> after) {
        List<UdpFlow> stale = new ArrayList<>();
        for (UdpFlow flow : before) {
            if (!after.contains(flow)) {
                stale.add(flow);
            }
        }
        Set<UdpFlow> known = new HashSet<>();
        before.forEach(flow -> known.add(flow.anywhere()));
        after.stream()
                .map(UdpFlow::anywhere)
                .distinct()
                .filter(f -> !known.contains(f))
                .forEach(stale::add);
        return stale;
    }

    private UdpFlow anywhere() {
        return new UdpFlow(destination, port, Optional.empty());
    }
}
